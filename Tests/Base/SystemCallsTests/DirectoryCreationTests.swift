import Glibc
import SystemCalls
import Testing

@Test("a directory is created with its parents and mode 0700, and an error names the path")
func directoryCreation() throws {
  var template = Array("/tmp/directories-XXXXXX".utf8CString)
  let root = String(cString: try #require(mkdtemp(&template)))
  defer { for path in ["/a/b", "/a", "/file", ""] { remove(root + path) } }
  #expect(try makeDirectory(root + "/a/b"))
  #expect(try !makeDirectory(root + "/a/b"))
  for path in ["/a", "/a/b"] {
    var status = stat()
    #expect(stat(root + path, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }
  close(creat(root + "/file", 0o600))
  let failure = #expect(throws: SystemError.self) { try makeDirectory(root + "/file/a/b") }
  #expect(failure?.description == "mkdir \(root)/file/a/b: Not a directory")
}
