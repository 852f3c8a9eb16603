import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, CustomStringConvertible {
  /// The name of the call, with the path if the error is about one.
  public let call: String
  public let code: Int32

  /// Creates the error of the current errno; must be called immediately after the failed call.
  public init(_ call: StaticString) {
    code = errno
    self.call = "\(call)"
  }

  /// Creates an error with a given errno.
  public init(_ call: StaticString, code: Int32) {
    self.call = "\(call)"
    self.code = code
  }

  /// Creates the error of the current errno for a path; must be called immediately after the failed call.
  public init(_ call: StaticString, at path: String) {
    code = errno
    self.call = "\(call) \(path)"
  }

  /// The call and the meaning of its errno.
  public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
