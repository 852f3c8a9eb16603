internal import Connections
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Vault

extension ControlConnection {
  /// Carries out a line, or answers all its requests with an error.
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

  /// Answers a line that is no request.
  func refuse(_ error: RPCError) {
    router.counters.count(isError: true)
    send(RPCReply(id: .null, error: error).line)
  }

  /// The replies to a batch leave together when the last of them is there; until then they are held for its owner.
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

  /// Is handed the reply to a request, `nil` when none is wanted, and the subscriptions that the request made.
  private typealias Answer = @EventLoop (RPCReply?, [String]) -> Void

  /// Carries out one request and hands over its reply exactly once.
  private func answer(
    _ request: Result<RPCRequest, RPCError>,
    _ refusal: RPCError?,
    _ reply: @escaping Answer
  ) {
    switch request {
    case .failure(let error):
      router.counters.count(isError: true)
      reply(RPCReply(id: .null, error: error), [])
    case .success(let request):
      if let refusal { return settle(CallOutcome(request.id, refused: refusal), reply) }
      switch router.route(request, caller, self) {
      case .done(let outcome): settle(outcome, reply)
      case .later(let work):
        let held = request.params?.footprint ?? 0
        inFlight += 1
        share.requests += held
        requestCount += 1
        flights.start(requestCount) { [self] in
          let outcome = await work()
          inFlight -= 1
          share.requests -= held
          settle(told(outcome), reply)
          resume()
        }
      }
    }
  }

  /// Replies once what the request changed is on the disk; until then it is in flight.
  private func settle(_ outcome: CallOutcome, _ reply: @escaping Answer) {
    // Taken at once, before another request of this turn could take them for its own.
    let subscriptions = events.takeNew()
    guard router.vault.hasUncommittedChanges else { return reply(counted(outcome), subscriptions) }
    inFlight += 1
    router.vault.afterTurn { [self] failure in
      inFlight -= 1
      if let failure {
        // A subscription that was refused tells nothing.
        for subscription in subscriptions { _ = events.unsubscribe(subscription) }
        reply(counted(outcome.failing(RPCError(naming: failure))), [])
      } else {
        reply(counted(outcome), subscriptions)
      }
      resume()
    }
  }

  /// Ends the requests under way of whoever holds much: they hold up others.
  ///
  /// Each ends as if the courier had gone, which is safe at any moment.
  func endIfHoldingMuch() {
    guard share.isMuch else { return }
    for request in Array(flights.keys) { flights.cancel(request) }
  }

  /// The end of a request as it is told: nothing came of one that was ended, though nothing is wrong with the courier.
  private func told(_ outcome: CallOutcome) -> CallOutcome {
    guard Task.isCancelled, outcome.error?.code == RPCError.noConnectivity.code else { return outcome }
    return outcome.failing(Self.starved)
  }

  /// The reply to a request that was carried out, and counted now.
  private func counted(_ outcome: CallOutcome) -> RPCReply? {
    router.counters.count(isError: outcome.error != nil)
    return outcome.reply
  }

  /// Sends a line; the subscriptions that it made known may be followed by events, not preceded.
  private func send(_ line: [UInt8], with subscriptions: [String] = []) {
    stream.send(line)
    events.release(subscriptions)
  }
}
