import SystemCalls
import Testing

@Test(
  "a file lies in the directory that its path names, or in the working directory",
  arguments: [
    ("/a/b", "/a"), ("/b", "/"), ("/", "/"), ("/ä/ö", "/ä"), ("a/b", "a"), ("../b", ".."), ("b", "."),
    ("", "."),
  ]
)
func directories(path: String, expected: String) {
  #expect(containingDirectory(of: path) == expected)
}
