package import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PingOne
internal import TestLoop
internal import Time
internal import WebAddress

/// Why a request is none that the platform could answer.
struct Unreadable: Error {
  let reason: String
}

extension TestPlatform {
  private static let base = "/base/device/v1"

  /// What stands for the exchange with a courier: like the real one's, it ends when its task is cancelled, however far
  /// the platform is.
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
      let question: Question
      do { question = try Question(opening: request, on: self) } catch {
        TestLoop.violate("the platform cannot read what it is asked: \(error)")
        throw PlatformError.brokenDown
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
    let keys =
      [JWK(key.publicKey, keyID: Self.keyID)]
      + newKeys.map { JWK($0.publicKey, keyID: JWK($0.publicKey).thumbprint) }
    let claims: JSON = ["keys": .array(keys.map(\.json)), "version": .int(keys.count)]
    let token: String
    do {
      token = try CompactJWS.sign(
        payload: claims.serialized,
        type: "platform-keys+jwt",
        keyID: Self.keyID,
        with: key,
        algorithm: .es256
      )
    } catch { throw .brokenDown }
    try await weather(.keys, .reply)
    return CourierResponse(status: 200, headers: [], body: Array(token.utf8))
  }

  /// What the weather and the platform make of a question, sealed for who asked it.
  private func answer(_ question: Question) async throws(PlatformError) -> CourierResponse {
    do throws(PlatformError) {
      let handling = try handling(of: question)
      var batch: Batch?
      if case .pushes = handling.call { batch = await nextBatch() } else { calls.append(handling.call) }
      try await weather(handling.call, .request)
      var reply = try handling.effect(batch)
      // What it says is of now, however long it is on its way.
      reply.issuedAt = clock.now
      try await weather(handling.call, .reply)
      return try seal(reply, for: question)
    } catch {
      var reply = try Reply(error)
      if case .clockOff(let offset) = error { reply.issuedAt = clock.now.adding(seconds: offset) }
      return try seal(reply, for: question, by: error == .unknownKey ? try? .generateP256() : nil)
    }
  }

  private func seal(
    _ reply: Reply,
    for question: Question,
    by stranger: PrivateKey? = nil
  ) throws(PlatformError) -> CourierResponse {
    let claims: JSON = [
      "rid": .string(question.id), "aud": .string(question.thumbprint), "status": .int(reply.status),
      "iat": .int((reply.issuedAt ?? clock.now).seconds), "body": reply.body,
    ]
    let signer = stranger ?? signer ?? key
    do {
      let token = try CompactJWS.sign(
        payload: claims.serialized,
        type: "device-answer+jwt",
        keyID: stranger == nil && self.signer == nil ? Self.keyID : JWK(signer.publicKey).thumbprint,
        with: signer,
        algorithm: .es256
      )
      let text = try CompactJWE.encrypt(
        Array(token.utf8),
        to: question.answerKey,
        type: "device-answer+jwe",
        keyID: nil
      )
      return CourierResponse(status: 200, headers: [], body: Array(text.utf8))
    } catch { throw .brokenDown }
  }
}

/// An exchange that ends once: by what the platform says, or by being cancelled.
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
