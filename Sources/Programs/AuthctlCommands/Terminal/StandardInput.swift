internal import Glibc
internal import UnixSockets

/// Standard input of a command that has no terminal: one answer a line.
final class StandardInput {
  private let waiter: Waiter
  private var lines: LineReader

  private static let maximumLine = 64 * 1024

  init(_ waiter: Waiter) {
    self.waiter = waiter
    // A copy, because a descriptor closes what it owns.
    lines = LineReader(Descriptor(owning: dup(STDIN_FILENO)), maximumLine: Self.maximumLine)
  }

  /// The next line, the last one also without its line feed; `nil` at the end of input.
  func line() throws(Failure) -> String? {
    let bytes: ArraySlice<UInt8>
    switch try lines.next(waiter, until: .never) {
    case .line(let line): bytes = line
    case .tooLong: throw .local(.usage, "a line of standard input is too long")
    case .timedOut, .beside: return nil
    case .end:
      bytes = lines.takeRest()
      if bytes.isEmpty { return nil }
    }
    return try Self.text(bytes)
  }

  /// The descriptor to watch for `readyLine`.
  let number = STDIN_FILENO

  /// What can be read without waiting.
  enum Ready {
    case line(String)
    case nothing
    case end
  }

  /// The next line, if it is there already.
  func readyLine() throws(Failure) -> Ready {
    switch try lines.next(waiter, until: .after(.zero)) {
    case .line(let line): return .line(try Self.text(line))
    case .tooLong: throw .local(.usage, "a line of standard input is too long")
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

  /// All that a file holds, `-` for standard input.
  static func contents(of path: String, atMost mebibytes: Int = 1) throws(Failure) -> [UInt8] {
    try contents(of: try open(path), path, atMost: mebibytes)
  }

  /// Opens a file, `-` for standard input.
  static func open(_ path: String) throws(Failure) -> Descriptor {
    let number = path == "-" ? dup(STDIN_FILENO) : Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw .local(.usage, "cannot read \(path): \(String(cString: strerror(errno)))")
    }
    return Descriptor(owning: number)
  }

  /// All that an open file holds.
  static func contents(
    of descriptor: Descriptor,
    _ path: String,
    atMost mebibytes: Int = 1
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(descriptor.number, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw .local(.usage, "cannot read \(path): \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= mebibytes * 1024 * 1024 else {
        throw .local(.usage, "\(path) is larger than \(mebibytes) MiB")
      }
    }
  }
}
