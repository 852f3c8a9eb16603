internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Vault

/// The implementation of one method: synchronous, asynchronous, or either, depending on the call.
struct Handler: Sendable {
  /// One call: the caller, its connection and the parameters.
  struct Call: Sendable {
    let caller: Caller
    let connection: ControlConnection
    let params: JSON?
    /// The ID that the reply repeats; `nil` if the caller wants no reply.
    let id: RequestID?

    var isAnswered: Bool { id != nil }
  }

  /// The body of a method.
  ///
  /// It runs in the loop iteration of the call (`now`) or as a task (`asynchronous`).
  enum Work: Sendable {
    typealias Now = @EventLoop @Sendable (Service, Call) -> CallOutcome
    typealias AsyncHandler = @EventLoop @Sendable (Service, Call) async -> CallOutcome

    case now(Now)
    case asynchronous(AsyncHandler)
    case either(waits: @Sendable (Call) -> Bool, now: Now, asynchronous: AsyncHandler)
  }

  let method: any ControlMethod.Type
  let work: Work
  /// Returns the outcome of a call that is refused before the body runs.
  let refuse: @Sendable (Call, RPCError) -> CallOutcome

  private init<Method: ControlMethod>(_ method: Method.Type, _ work: Work) {
    (self.method, self.work) = (method, work)
    refuse = { call, error in CallOutcome(call, try? Method(parsing: call.params), .failure(error)) }
  }

  /// A method that never suspends.
  static func now<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result
  ) -> Handler {
    Handler(method, .now(atOnce(body)))
  }

  /// A method that may suspend.
  static func asynchronous<Method: ControlMethod>(
    _ method: Method.Type,
    _ body: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Handler {
    Handler(method, .asynchronous(inTime(body)))
  }

  /// A method that suspends only if the call has this parameter.
  ///
  /// Other calls run without a task, since starting one takes longer than most replies.
  static func either<Method: ControlMethod>(
    _ method: Method.Type,
    waitingFor parameter: String,
    now: @escaping @EventLoop @Sendable (Service, Method, Call) throws -> Method.Result,
    later: @escaping @EventLoop @Sendable (Service, Method, Call) async throws -> Method.Result
  ) -> Handler {
    Handler(
      method,
      .either(waits: { $0.params?[parameter] != nil }, now: atOnce(now), asynchronous: inTime(later))
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
  ) -> Work.AsyncHandler {
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
  /// Throws `RPCError.locked` if the owner has not entered the PIN and the method does not work while locked.
  @EventLoop
  fileprivate func checkOpen(for method: some ControlMethod, _ call: Handler.Call) throws {
    guard try method.worksWhileLocked || !core.vault.isLocked(call.caller.uid) else { throw RPCError.locked }
  }
}

/// The outcome of a call: the reply to send and the audit entry.
struct CallOutcome: Sendable {
  /// `nil` if the caller wants no reply.
  let reply: RPCReply?
  let error: RPCError?
  /// The audit entry; `nil` if the call has none.
  ///
  /// An entry without an outcome is counted.
  let entry: (target: String?, outcome: String?)?

  /// The outcome of a call.
  ///
  /// `method` is `nil` if the parameters are invalid.
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
    entry = Method.audit.flatMap { $0.entry(method, result) }
  }

  private init(reply: RPCReply?, error: RPCError) { (self.reply, self.error, entry) = (reply, error, nil) }

  /// Returns this outcome with an error instead of the result, and without audit entry.
  func failing(_ error: RPCError) -> CallOutcome {
    CallOutcome(reply: reply.map { RPCReply(id: $0.id, error: error) }, error: error)
  }

  /// The outcome of a call that was refused before it reached a handler.
  init(_ id: RequestID?, refused error: RPCError) {
    reply = id.map { RPCReply(id: $0, error: error) }
    (self.error, entry) = (error, nil)
  }
}
