internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Vault

/// What carries out one method: within the turn in which it was asked, later, or as the call has it.
struct Handler: Sendable {
  /// One call: who asks, through which connection, and with which parameters.
  struct Call: Sendable {
    let caller: Caller
    let connection: ControlConnection
    let params: JSON?
    /// What the reply repeats; `nil`: the caller wants no reply.
    let id: RequestID?

    var isAnswered: Bool { id != nil }
  }

  /// How a call is carried out.
  enum Work: Sendable {
    typealias Now = @EventLoop @Sendable (Service, Call) -> CallOutcome
    typealias Later = @EventLoop @Sendable (Service, Call) async -> CallOutcome

    case now(Now)
    case later(Later)
    case either(waits: @Sendable (Call) -> Bool, now: Now, later: Later)
  }

  let method: any ControlMethod.Type
  let work: Work
  /// What becomes of a call that is not carried out.
  let refuse: @Sendable (Call, RPCError) -> CallOutcome

  private init<Method: ControlMethod>(_ method: Method.Type, _ work: Work) {
    (self.method, self.work) = (method, work)
    refuse = { call, error in CallOutcome(call, try? Method(parsing: call.params), .failure(error)) }
  }

  /// A method that needs nothing from outside.
  static func now<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result
  ) -> Handler {
    Handler(method, .now(atOnce(body)))
  }

  /// A method that waits for others.
  static func later<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Handler {
    Handler(method, .later(inTime(body)))
  }

  /// A method that waits for others only in a call that has this parameter: to wait is a task, which takes longer than most
  /// answers.
  static func either<Method: ControlMethod>(
    _ method: Method.Type,
    waitingFor parameter: String,
    now: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result,
    later: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Handler {
    Handler(
      method,
      .either(waits: { $0.params?[parameter] != nil }, now: atOnce(now), later: inTime(later))
    )
  }

  private static func atOnce<Method: ControlMethod>(
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result
  ) -> Work.Now {
    { service, call in
      var method: Method?
      do {
        let parsed = try Method(parsing: call.params)
        method = parsed
        try service.checkOpen(for: parsed, call)
        return CallOutcome(call, method, .success(try body(service, parsed, call)))
      } catch {
        return CallOutcome(call, method, .failure(RPCError(naming: error)))
      }
    }
  }

  private static func inTime<Method: ControlMethod>(
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Work.Later {
    { service, call in
      var method: Method?
      do {
        let parsed = try Method(parsing: call.params)
        method = parsed
        try service.checkOpen(for: parsed, call)
        let result = try await service.core.vault.storing { try await body(service, parsed, call) }
        return CallOutcome(call, method, .success(result))
      } catch {
        return CallOutcome(call, method, .failure(RPCError(naming: error)))
      }
    }
  }
}

extension Service {
  /// Refuses what an owner whose PIN has not been given cannot do.
  @EventLoop
  fileprivate func checkOpen(for method: some ControlMethod, _ call: Handler.Call) throws {
    guard try method.worksWhileLocked || !core.vault.isLocked(call.caller.uid) else { throw RPCError.locked }
  }
}

/// How a call ended: the line to send, and what the audit tells of it.
struct CallOutcome: Sendable {
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
  func failing(_ error: RPCError) -> CallOutcome {
    CallOutcome(reply: reply.map { RPCReply(id: $0.id, error: error) }, error: error)
  }

  /// The end of a call that no handler saw.
  init(_ id: RequestID?, refused error: RPCError) {
    reply = id.map { RPCReply(id: $0, error: error) }
    (self.error, entry) = (error, nil)
  }
}
