package import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PingOne
internal import PlatformWire
internal import TestLoop
internal import Time
internal import WebAddress

extension TestPlatform {
  private static let base = "/base/device/v1"

  /// Replaces the exchange with a courier.
  ///
  /// Like the real one, it ends when its task is cancelled, regardless of the platform's progress.
  package func exchange(_ request: CourierRequest) async throws(CourierFailure) -> CourierResponse {
    let pending = PendingExchange()
    EventLoop.task { [self] in pending.end(await serve(request)) }
    return try await withTaskCancellationHandler {
      await pending.value()
    } onCancel: {
      EventLoop.task { pending.end(.failure(.cancelled)) }
    }.get()
  }

  private func serve(_ request: CourierRequest) async -> Result<CourierResponse, CourierFailure> {
    do throws(PlatformError) {
      guard request.url.path != Self.base + "/platform-keys" else {
        return .success(try await announceKeys())
      }
      let question: PlatformRequest
      do {
        question = try PlatformRequest(opening: request, with: newKeys + [key])
      } catch {
        TestLoop.violate("the platform cannot read what it is asked: \(error)")
        throw PlatformError.brokenDown
      }
      guard seenProofs.insert(question.id).inserted else {
        TestLoop.violate("the platform gets a proof twice")
        throw .brokenDown
      }
      return .success(try await answer(question))
    } catch {
      return error == .outOfReach
        ? .failure(.unreachable) : .success(CourierResponse(status: 502, headers: [], body: []))
    }
  }

  private func announceKeys() async throws(PlatformError) -> CourierResponse {
    calls.append(.keys)
    try await weather(.keys, .request)
    let keys = newKeys.map { JWK($0.publicKey, keyID: JWK($0.publicKey).thumbprint) }
    let response: CourierResponse
    do {
      response = try PlatformReply.announcement(
        of: [JWK(key.publicKey, keyID: Self.keyID)] + keys,
        by: key,
        keyID: Self.keyID
      )
    } catch { throw .brokenDown }
    try await weather(.keys, .reply)
    return response
  }

  /// Handles a request with injected faults, and seals the reply for the device.
  private func answer(_ question: PlatformRequest) async throws(PlatformError) -> CourierResponse {
    do throws(PlatformError) {
      let handling = try handling(of: question)
      var batch: Batch?
      if case .pushes = handling.call { batch = await nextBatch() } else { calls.append(handling.call) }
      try await weather(handling.call, .request)
      let reply = try handling.effect(batch)
      // The reply contains this time, even if its delivery takes long.
      let now = clock.now
      try await weather(handling.call, .reply)
      return try seal(reply, at: now, for: question, by: signer ?? key)
    } catch {
      var now = clock.now
      if case .clockOff(let offset) = error { now = now.adding(seconds: offset) }
      // For `unknownKey`, sign the reply with a key that was never announced.
      let stranger = error == .unknownKey ? try? PrivateKey.generateP256() : nil
      return try seal(try PlatformReply(error), at: now, for: question, by: stranger ?? signer ?? key)
    }
  }

  private func seal(
    _ reply: PlatformReply,
    at now: Timestamp,
    for question: PlatformRequest,
    by signer: PrivateKey
  ) throws(PlatformError) -> CourierResponse {
    let id = signer === key ? Self.keyID : JWK(signer.publicKey).thumbprint
    do { return try question.seal(reply, at: now.seconds, by: signer, keyID: id) } catch { throw .brokenDown }
  }
}

/// An exchange that ends once: with the platform's reply or by cancellation.
@EventLoop
private final class PendingExchange {
  typealias Outcome = Result<CourierResponse, CourierFailure>

  private var outcome: Outcome?
  private var continuation: UnsafeContinuation<Outcome, Never>?

  func end(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    continuation?.resume(returning: outcome)
    continuation = nil
  }

  func value() async -> Outcome {
    if let outcome { return outcome }
    return await withUnsafeContinuation { continuation = $0 }
  }
}
