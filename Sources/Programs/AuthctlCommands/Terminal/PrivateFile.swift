internal import Glibc
internal import UnixSockets

/// A file that may hold secrets; one that others than the user may read is refused.
struct PrivateFile {
  let path: String
  let bytes: [UInt8]

  /// Reads all of it, `-` for standard input.
  init(_ path: String) throws(Failure) {
    self.path = path
    let descriptor = try StandardInput.open(path)
    if path != "-" { try Self.check(descriptor, path) }
    bytes = try StandardInput.contents(of: descriptor, path)
  }

  /// What stands before its first line feed, which has to be something.
  func firstLine() throws(Failure) -> String {
    let bytes = bytes.prefix { ![0x0A, 0x0D].contains($0) }
    guard let line = String(validating: bytes, as: UTF8.self), !line.isEmpty else {
      throw .local(.usage, "the first line of \(path) is no text")
    }
    return line
  }

  private static func check(_ descriptor: Descriptor, _ path: String) throws(Failure) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else {
      throw .local(.usage, "cannot look at \(path): \(String(cString: strerror(errno)))")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .local(
        .usage,
        "\(path) belongs to user \(status.st_uid)",
        hint: "secrets are taken from files of yours only"
      )
    }
    guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
      throw .local(
        .usage,
        "others than you may use \(path)",
        hint: "\"chmod 600 \(path)\" makes it yours alone"
      )
    }
  }
}
