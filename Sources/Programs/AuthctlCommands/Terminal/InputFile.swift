internal import ControlClient
internal import Glibc
internal import SystemCalls
internal import UnixSockets

/// The contents of a file; `-` is standard input.
struct InputFile {
  let path: String
  let bytes: [UInt8]

  /// Reads a file of up to `mebibytes` MiB.
  ///
  /// A private file may hold secrets: it must belong to the user or root, without permissions for others.
  init(_ path: String, atMost mebibytes: Int = 1, isPrivate: Bool = false) throws(Failure) {
    self.path = path
    let number = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Self.unreadable(path, errno) }
    let descriptor = Descriptor(owning: number)
    if isPrivate, path != "-" { try Self.checkOwner(of: descriptor, path) }
    do { bytes = try readWhole(descriptor.number, atMost: mebibytes << 20) } catch {
      throw error.code == EFBIG
        ? .local(.usage, "\(path) is larger than \(mebibytes) MiB") : Self.unreadable(path, error.code)
    }
  }

  /// Returns the first line, which must not be empty.
  func firstLine() throws(Failure) -> String {
    let bytes = bytes.prefix { ![0x0A, 0x0D].contains($0) }
    guard let line = String(validating: bytes, as: UTF8.self), !line.isEmpty else {
      throw .local(.usage, "the first line of \(path) is empty or not UTF-8")
    }
    return line
  }

  private static func unreadable(_ path: String, _ code: Int32) -> Failure {
    .local(
      .usage,
      "cannot read \(path): \(String(cString: strerror(code)))",
      hint: "check its name and its permissions"
    )
  }

  private static func checkOwner(of descriptor: Descriptor, _ path: String) throws(Failure) {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw unreadable(path, errno) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .local(
        .usage,
        "\(path) belongs to user \(status.st_uid)",
        hint: "a file with secrets must be yours: \"sudo chown $USER \(path)\""
      )
    }
    guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
      throw .local(
        .usage,
        "other users can access \(path)",
        hint: "\"chmod 600 \(path)\" restricts it to you"
      )
    }
  }
}

/// Standard input of a command without a terminal: one answer per line.
final class StandardInput {
  private let waiter: Waiter
  private var lines: LineReader

  private static let maximumLine = 64 * 1024

  init(_ waiter: Waiter) {
    self.waiter = waiter
    // A duplicate, because `Descriptor` closes its number.
    lines = LineReader(Descriptor(owning: dup(STDIN_FILENO)), maximumLine: Self.maximumLine)
  }

  let number = STDIN_FILENO

  enum Next {
    case line(String)
    case nothing
    case end
  }

  /// Returns the next line; `nil` at the end of input.
  func line() throws(Failure) -> String? {
    if case .line(let text) = try next(until: .never) { text } else { nil }
  }

  /// Returns the next line; the last one needs no line feed.
  func next(until deadline: Deadline) throws(Failure) -> Next {
    switch try lines.next(waiter, until: deadline) {
    case .line(let line): return .line(try Self.text(line))
    case .tooLong:
      throw .local(.usage, "a line of standard input is longer than \(Self.maximumLine / 1024) KiB")
    case .timedOut, .beside: return .nothing
    case .end:
      let rest = lines.takeRest()
      return rest.isEmpty ? .end : .line(try Self.text(rest))
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .local(.usage, "standard input is not UTF-8")
    }
    return text
  }
}
