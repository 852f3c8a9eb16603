internal import ControlAPI
internal import JSONRPC

/// How a call ended: the line to send, and what the audit tells of it.
struct Completion: Sendable {
  /// `nil`: the caller wants no reply.
  let reply: RPCReply?
  let error: RPCError?
  /// `nil`: the audit tells nothing of calls of this method.
  let entry: (target: String?, outcome: String)?

  /// The end of a call; of one that was not understood there is no method.
  init<Method: ControlMethod>(
    _ call: Handler.Call,
    _ method: Method?,
    _ result: Result<Method.Result, RPCError>
  ) {
    switch result {
    case .success(let value):
      reply = call.id.map { RPCReply(id: $0) { Method.write(value, to: &$0) } }
      error = nil
    case .failure(let error):
      reply = call.id.map { RPCReply(id: $0, error: error) }
      self.error = error
    }
    entry = Method.audit.map { ($0.target(method, result), $0.outcome(method, result)) }
  }

  private init(reply: RPCReply?, error: RPCError) { (self.reply, self.error, entry) = (reply, error, nil) }

  /// The same call, of which nothing could be stored.
  func failing(_ error: RPCError) -> Completion {
    Completion(reply: reply.map { RPCReply(id: $0.id, error: error) }, error: error)
  }

  /// The end of a call that no handler saw.
  init(_ id: RequestID?, refused error: RPCError) {
    reply = id.map { RPCReply(id: $0, error: error) }
    (self.error, entry) = (error, nil)
  }
}
