import SystemCalls
import Testing

@Test(
  "containing directory comes from the path or is the working directory",
  arguments: [
    ("/a/b", "/a"), ("/b", "/"), ("/", "/"), ("/ä/ö", "/ä"), ("a/b", "a"), ("../b", ".."), ("b", "."),
    ("", "."),
  ]
)
func directories(path: String, expected: String) {
  #expect(containingDirectory(of: path) == expected)
}
