internal import Connections
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Vault

extension ControlConnection {
  /// Executes the requests in a line.
  ///
  /// With `refusal`, answers each request with that error instead.
  func carryOut(_ event: LineFramer.Event, refusing refusal: RPCError? = nil) {
    guard case .line(let line) = event else { return refuse(.requestTooLarge) }
    let message: RPCMessage
    do { message = try RPCMessage(parsing: line) } catch { return refuse(error) }
    switch message {
    case .single(let request):
      answer(request, refusal) { [self] reply, subscriptions in
        if let reply { send(reply.line, with: subscriptions) }
      }
    case .batch(let requests): answer(requests, refusal)
    }
  }

  /// Answers a line that contains no valid request.
  func refuse(_ error: RPCError) {
    router.counters.count(error)
    send(RPCReply(id: .null, error: error).line)
  }

  /// Executes a batch and sends its replies together after the last one.
  ///
  /// Until then, the replies count as memory of the owner.
  private func answer(_ requests: [Result<RPCRequest, RPCError>], _ refusal: RPCError?) {
    var batch = RPCBatchReply()
    var subscriptions: [String] = []
    var missing = requests.count
    for request in requests {
      answer(request, refusal) { [self] reply, made in
        share.replies -= batch.heldCount
        if let reply {
          batch.add(reply)
          subscriptions += made
        }
        missing -= 1
        guard missing == 0 else {
          share.replies += batch.heldCount
          return
        }
        if let line = batch.line { send(line, with: subscriptions) }
      }
    }
  }

  /// Receives the reply (`nil` if none is wanted) and the IDs of the subscriptions that the request created.
  private typealias Answer = @EventLoop (RPCReply?, [String]) -> Void

  /// Executes one request and calls `reply` exactly once.
  private func answer(
    _ request: Result<RPCRequest, RPCError>,
    _ refusal: RPCError?,
    _ reply: @escaping Answer
  ) {
    switch request {
    case .failure(let error):
      router.counters.count(error)
      reply(RPCReply(id: .null, error: error), [])
    case .success(let request):
      if let refusal { return settle(CallOutcome(request.id, refused: refusal), reply) }
      switch router.route(request, caller, self) {
      case .done(let outcome): settle(outcome, reply)
      case .asynchronous(let work):
        let held = request.params?.footprint ?? 0
        inFlight += 1
        share.requests += held
        EventLoop.task { [self] in
          let outcome = await work()
          inFlight -= 1
          share.requests -= held
          settle(outcome, reply)
          resume()
        }
      }
    }
  }

  /// Replies after the changes of the request are committed to disk.
  ///
  /// Until then the request is in flight.
  private func settle(_ outcome: CallOutcome, _ reply: @escaping Answer) {
    // Take the new subscriptions now: the next request in this loop iteration would otherwise claim them.
    let subscriptions = events.takeNew()
    guard router.vault.hasUncommittedChanges else { return reply(counted(outcome), subscriptions) }
    inFlight += 1
    router.vault.afterTurn { [self] failure in
      inFlight -= 1
      if let failure {
        // The client gets an error instead of the ID, so the subscription must not deliver events.
        for subscription in subscriptions { _ = events.unsubscribe(subscription) }
        reply(counted(outcome.failing(RPCError(naming: failure))), [])
      } else {
        reply(counted(outcome), subscriptions)
      }
      resume()
    }
  }

  /// Counts the request and returns its reply.
  private func counted(_ outcome: CallOutcome) -> RPCReply? {
    router.counters.count(outcome.error)
    return outcome.reply
  }

  /// Sends a line, then releases the events of the subscriptions that it announces.
  ///
  /// Events must not precede the line.
  private func send(_ line: [UInt8], with subscriptions: [String] = []) {
    stream.send(line)
    events.release(subscriptions)
  }
}
