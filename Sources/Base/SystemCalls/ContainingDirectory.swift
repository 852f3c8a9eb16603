/// Returns the directory of a file: `/` for `/f`, and `.` for a path without a slash.
public func containingDirectory(of file: String) -> String {
  guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == file.startIndex ? "/" : String(file[..<slash])
}
