import Glibc

/// A system call that failed.
package struct SystemError: Error, Sendable, CustomStringConvertible {
  /// The name of the call.
  package let call: String
  package let code: Int32

  /// The failure that errno tells right after a call.
  package init(_ call: StaticString) {
    code = errno
    self.call = "\(call)"
  }

  /// A failure with a given errno.
  package init(_ call: StaticString, code: Int32) {
    self.call = "\(call)"
    self.code = code
  }

  /// The call and what its errno means.
  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
