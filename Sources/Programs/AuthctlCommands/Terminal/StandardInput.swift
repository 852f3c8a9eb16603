internal import ControlClient
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

  let number = STDIN_FILENO

  enum Next {
    case line(String)
    case nothing
    case end
  }

  /// The next line; `nil` at the end of input.
  func line() throws(Failure) -> String? {
    if case .line(let text) = try next(until: .never) { text } else { nil }
  }

  /// The next line, the last one also without its line feed.
  func next(until deadline: Deadline) throws(Failure) -> Next {
    switch try lines.next(waiter, until: deadline) {
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
}
