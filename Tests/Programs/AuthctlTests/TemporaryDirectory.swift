import Glibc

/// Directories for one test, writable only by its user.
enum TemporaryDirectory {
  struct Failure: Error { let code: Int32 }

  static func make() throws -> String {
    var template = Array("/tmp/authctl-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Another test may have set a narrower umask.
    chmod(path, 0o700)
    return path
  }

  /// Removes a directory and its contents.
  static func remove(_ path: String) {
    guard let directory = opendir(path) else {
      unlink(path)
      return
    }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }
}
