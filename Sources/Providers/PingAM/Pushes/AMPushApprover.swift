internal import Accounts
public import Approvals
internal import ControlAPI
internal import CourierProtocol
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import Time
public import Vault

/// Submits decisions on pushes to PingAM servers.
///
/// A server cannot report the state of a push. After a crash or a network failure, mfad therefore submits the
/// decision again. A server that still waits accepts the repeated decision. A server that no longer waits
/// refuses it, and it is unknown whether it received the first one. The request is then expired and not
/// reported as approved or denied.
@EventLoop
public final class AMPushApprover: Approver {
  private let core: Core
  private let accounts: AMAccounts
  private let server: AMServer
  private let approvals: Approvals
  /// Requests with a decision that the server may have received, and the uptime at which each entry ends.
  private var doubts: [OwnedKey: Duration] = [:]
  /// The numbers that a server refused, by request, and the uptime at which each entry ends.
  private var wrongNumbers: [OwnedKey: (numbers: Set<Int>, end: Duration)] = [:]

  public nonisolated var name: String { AMPushes.approver }

  public init(_ core: Core, accounts: AMAccounts, server: AMServer, approvals: Approvals) {
    (self.core, self.accounts, self.server, self.approvals) = (core, accounts, server, approvals)
    core.owners.whenErased { [weak self] in
      self?.doubts.removeAll(of: $0)
      self?.wrongNumbers.removeAll(of: $0)
    }
  }

  /// Requires an unlocked owner for approvals and denials, because the account's secret signs both.
  ///
  /// A stored decision is not checked again. Its submission waits while the owner is locked.
  public func admit(_ request: ApprovalRequest, _ decision: Decision) throws {
    if decision.isApproval { try check(request, decision) }
    guard try core.vault.sealer.isOpen(request.owner) else { throw RPCError.locked }
  }

  /// Refuses an approval that the server would accept wrongly or refuse without a reason.
  private func check(_ request: ApprovalRequest, _ decision: Decision) throws {
    // The standard method means that the user was not verified for this approval.
    if AMPushDetails(stored: request.content.approverDetails)?.needsPresence == true,
      decision.method == AuthenticationMethod.standard
    {
      let methods = try approvals.presence.methods(of: request.owner).map(\.rawValue)
      throw RPCError.presenceRequired.with(["methods": .strings(methods)])
    }
    guard request.content.shown.numberMatching != nil else { return }
    guard let number = decision.number else { throw RPCError.numberRequired }
    let left = numbersLeft(of: request)
    guard left.contains(number) else {
      throw RPCError.numberMismatch.with(["triesLeft": .int(left.count)])
    }
  }

  public func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    guard let account = try accounts.active(request.account, of: request.owner),
      let details = AMPushDetails(stored: request.content.approverDetails)
    else { throw Refusal(.notFound) }
    if let lock = accounts.lock(of: account) {
      // Do not revert a decision that the server may have received.
      guard doubts[request.ownedKey] == nil else { throw RPCError.accountLocked(lock) }
      return .locked(lock)
    }
    let secret = try accounts.secret(of: account)
    var claims: JSONObject = ["response": .string(try AMProof.response(to: details.challenge, by: secret))]
    if decision.isApproval {
      claims["challengeResponse"] = decision.number.map { .string(String($0)) }
    } else {
      // A server treats any value of this claim as a denial.
      claims["deny"] = true
    }
    let message: JSONObject = [
      "messageId": .string(request.foreignID), "jwt": try AMProof.token(claims, by: secret),
    ]
    return try await hand(message, request, decision, to: account, details)
  }

  /// The number options that the server has not refused.
  private func numbersLeft(of request: ApprovalRequest) -> Set<Int> {
    let wrong = wrongNumbers[request.ownedKey]?.numbers ?? []
    return Set(request.content.shown.numberOptions ?? []).subtracting(wrong)
  }

  /// Returns the outcome of a refused number.
  ///
  /// The server's response is the same for a wrong number and an unknown push. If the server has refused all
  /// options, the push must be unknown to it.
  private func outcome(ofWrong number: Int, _ request: ApprovalRequest) -> Outcome {
    let (now, key) = (core.time.uptime(), request.ownedKey)
    wrongNumbers = wrongNumbers.filter { $0.value.end > now }
    wrongNumbers[key, default: ([], now + .seconds(request.timeout))].numbers.insert(number)
    let left = numbersLeft(of: request).count
    return left == 0 ? .settled(.expired) : .wrongNumber(triesLeft: left)
  }

  private func hand(
    _ message: JSONObject,
    _ request: ApprovalRequest,
    _ decision: Decision,
    to account: AMAccount,
    _ details: AMPushDetails
  ) async throws -> Outcome {
    let key = request.ownedKey
    let priority = CourierRequest.Priority(.decision, of: request.owner)
    do {
      try await server.post(message, to: account.authenticate, cookie: details.cookie, priority: priority)
    } catch {
      if case .unknown = error {
        doubt(request)
        remember(request, details)
      }
      // A server that asks for a retry has not processed the decision.
      guard case .refused(let status, _) = error, ![408, 425, 429].contains(status) else { throw error }
      if status == 400, doubts.removeValue(forKey: key) != nil { return .settled(.expired) }
      // Another status comes from a proxy and says nothing about a decision that the server received earlier.
      guard doubts[key] == nil else { throw error }
      if status == 400, let number = decision.number { return outcome(ofWrong: number, request) }
      throw Refusal(error.rpcError)
    }
    doubts[key] = nil
    remember(request, details)
    return .accepted()
  }

  /// Remembers that the server may have received an answer, so that the push is not shown again.
  ///
  /// The entry remains after the account and the request have been deleted.
  private func remember(_ request: ApprovalRequest, _ details: AMPushDetails) {
    let end = core.time.now().adding(seconds: AMPushes.longestMemory)
    do { try approvals.remember(try details.mark, for: AMPushes.answers, of: request, until: end) } catch {
      Journal.warning("an answered push could not be remembered", ["uid": request.owner])
    }
  }

  public func recall(_ request: ApprovalRequest) { doubt(request) }

  public func status(of request: ApprovalRequest) async throws -> RemoteStatus? { nil }

  private func doubt(_ request: ApprovalRequest) {
    let now = core.time.uptime()
    doubts = doubts.filter { $0.value > now }
    doubts[request.ownedKey] = now + .seconds(request.timeout)
  }
}
