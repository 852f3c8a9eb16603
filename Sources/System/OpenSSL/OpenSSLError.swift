import COpenSSL

/// A failed call of the library: its name and the library's reason, never any of the processed data.
public struct OpenSSLError: Error, Equatable, CustomStringConvertible {
  /// The C function that failed, or the function of this module that refused.
  public let call: String
  /// The reason that the library or this module states.
  public let reason: String

  /// Creates the error that the library reported last on this thread, and clears the error queue.
  init(_ call: StaticString) {
    self.call = "\(call)"
    let code = ERR_peek_last_error()
    reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "unknown reason"
    ERR_clear_error()
  }

  /// Creates an error with a reason of this module instead of the library's.
  init(_ call: StaticString, refusing reason: StaticString) {
    self.call = "\(call)"
    self.reason = "\(reason)"
  }

  /// The call and the reason in one line.
  public var description: String { "\(call): \(reason)" }
}

/// Throws an error unless the call returned 1.
func check(_ call: StaticString, _ status: Int32) throws(OpenSSLError) {
  guard status == 1 else { throw OpenSSLError(call) }
}

/// Returns the pointer that a call returned; throws an error for a null pointer.
func check<Pointer>(_ call: StaticString, _ pointer: Pointer?) throws(OpenSSLError) -> Pointer {
  guard let pointer else { throw OpenSSLError(call) }
  return pointer
}
