internal import ControlClient
internal import Glibc
internal import UnixSockets

/// A file that was read whole; `-` is standard input.
struct InputFile {
  let path: String
  private(set) var bytes: [UInt8] = []

  /// Reads a file of at most so many mebibytes; a private one has to be the user's alone, since it may hold secrets.
  init(_ path: String, atMost mebibytes: Int = 1, isPrivate: Bool = false) throws(Failure) {
    self.path = path
    let number = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw unreadable() }
    let descriptor = Descriptor(owning: number)
    if isPrivate, path != "-" { try checkOwner(of: descriptor) }
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor.number, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable() }
      guard count > 0 else { return }
      bytes += chunk[..<count]
      guard bytes.count <= mebibytes * 1024 * 1024 else {
        throw .local(.usage, "\(path) is larger than \(mebibytes) MiB")
      }
    }
  }

  /// What stands before its first line feed, which has to be something.
  func firstLine() throws(Failure) -> String {
    let bytes = bytes.prefix { ![0x0A, 0x0D].contains($0) }
    guard let line = String(validating: bytes, as: UTF8.self), !line.isEmpty else {
      throw .local(.usage, "the first line of \(path) is no text")
    }
    return line
  }

  private func unreadable() -> Failure {
    .local(
      .usage,
      "cannot read \(path): \(String(cString: strerror(errno)))",
      hint: "look at its name, and at who may read it"
    )
  }

  private func checkOwner(of descriptor: Descriptor) throws(Failure) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw unreadable() }
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
