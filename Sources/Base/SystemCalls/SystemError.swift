import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, CustomStringConvertible {
  /// The name of the call.
  public let call: String
  public let code: Int32

  /// The failure that errno tells right after a call.
  public init(_ call: StaticString) {
    code = errno
    self.call = "\(call)"
  }

  /// A failure with a given errno.
  public init(_ call: StaticString, code: Int32) {
    self.call = "\(call)"
    self.code = code
  }

  /// The call and what its errno means.
  public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
