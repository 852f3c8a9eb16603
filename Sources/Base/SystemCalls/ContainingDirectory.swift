/// The directory that a file lies in: `/` of `/f`, and `.` of a path that names none.
public func containingDirectory(of file: String) -> String {
  guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == file.startIndex ? "/" : String(file[..<slash])
}
