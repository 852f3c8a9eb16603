import COpenSSL

/// A call of the library that failed: its name and the library's reason, never anything of what was processed.
public struct OpenSSLError: Error, Equatable, CustomStringConvertible {
  /// The C function that failed, or ours that refused.
  public let call: String
  /// The library's words for why.
  public let reason: String

  /// The failure that the library has just reported on this thread; the report is taken, so that none is left over.
  init(_ call: StaticString) {
    self.call = "\(call)"
    let code = ERR_peek_last_error()
    reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown reason"
    ERR_clear_error()
  }

  /// A refusal of our own, where the library would have let something pass.
  init(_ call: StaticString, refusing reason: StaticString) {
    self.call = "\(call)"
    self.reason = "\(reason)"
  }

  /// Call and reason in one line.
  public var description: String { "\(call): \(reason)" }
}

/// Passes the success of a call that answers 1, and throws for any other answer.
func check(_ call: StaticString, _ status: Int32) throws(OpenSSLError) {
  guard status == 1 else { throw OpenSSLError(call) }
}

/// Passes the pointer of a call that answers none when it fails.
func check<Pointer>(_ call: StaticString, _ pointer: Pointer?) throws(OpenSSLError) -> Pointer {
  guard let pointer else { throw OpenSSLError(call) }
  return pointer
}
