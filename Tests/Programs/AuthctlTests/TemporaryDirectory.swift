import Glibc

/// Directories for one test, which only its user can write.
enum TemporaryDirectory {
  struct Failure: Error { let code: Int32 }

  static func make() throws -> String {
    var template = Array("/tmp/authctl-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Another test may just have a narrower mask.
    chmod(path, 0o700)
    return path
  }

  /// Removes a directory with the files and directories in it.
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
