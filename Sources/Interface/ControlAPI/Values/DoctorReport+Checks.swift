package import JSONRPC

extension DoctorReport.Check {
  /// A check of the daemon's.
  package init(
    _ name: DoctorReport.Name,
    _ result: DoctorReport.Result,
    _ message: String,
    cause: String? = nil,
    remedy: String? = nil
  ) {
    self.init(
      name: .known(name),
      result: .known(result),
      cause: cause,
      message: message,
      remedy: remedy
    )
  }

  /// A check of which only a program at this side of the socket knows.
  package init(
    local name: String,
    _ result: DoctorReport.Result,
    _ message: String,
    cause: String? = nil,
    remedy: String? = nil
  ) {
    self.init(name: Open(name: name), result: .known(result), cause: cause, message: message, remedy: remedy)
  }

  /// A check that came to an error, with what is known of it.
  ///
  /// Where a person would be sent to these very checks, only the journal knows more.
  package init(_ name: DoctorReport.Name, failing error: RPCError) {
    let leadsBack = error.hint == RPCError.keyUnavailable.hint
    let remedy = leadsBack ? RPCError.internalFailure.hint : error.hint
    self.init(name, .fail, error.message, cause: error.cause, remedy: remedy)
  }

  /// The same, with something else to do about it.
  package func remedied(_ remedy: String?) -> Self {
    Self(name: name, result: result, cause: cause, message: message, remedy: remedy)
  }
}
