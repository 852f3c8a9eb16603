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

/// Hands decisions on pushes in at PingAM servers.
///
/// A server has no way to tell where a push stands. What was on its way when the program or the network ended is handed
/// in again: to a server that still waits, the same decision once more is the same. A server that no longer waits
/// refuses it, and whether it had heard the first is known to nobody here: the request is over, and it is not claimed
/// that it was approved or denied.
@EventLoop
public final class AMPushApprover: Approver {
  private let core: Core
  private let accounts: AMAccounts
  private let server: AMServer
  private let approvals: Approvals
  /// Requests of which the server may have heard a decision, until their end by the boot-time clock.
  private var doubts: [OwnedKey: Duration] = [:]
  /// The numbers that a server did not take, until the end of their request.
  private var wrongNumbers: [OwnedKey: (numbers: Set<Int>, end: Duration)] = [:]

  public nonisolated var name: String { AMPushes.approver }

  public init(_ core: Core, accounts: AMAccounts, server: AMServer, approvals: Approvals) {
    (self.core, self.accounts, self.server, self.approvals) = (core, accounts, server, approvals)
    core.owners.whenErased { [weak self] in
      self?.doubts.removeAll(of: $0)
      self?.wrongNumbers.removeAll(of: $0)
    }
  }

  /// The secret that denies is the one that approves: both want the PIN, and what was decided with it stands without.
  public func admit(_ request: ApprovalRequest, _ decision: Decision) throws {
    if decision.isApproval { try check(request, decision) }
    guard try core.vault.sealer.isOpen(request.owner) else { throw RPCError.locked }
  }

  /// What a server would not refuse, or not with a word of why.
  private func check(_ request: ApprovalRequest, _ decision: Decision) throws {
    // An approval says of its person what was verified, or that nothing was.
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
      // What the server may have heard is not taken back.
      guard doubts[request.ownedKey] == nil else { throw RPCError.accountLocked(lock) }
      return .locked(lock)
    }
    let secret = try accounts.secret(of: account)
    var claims: JSONObject = ["response": .string(try AMProof.response(to: details.challenge, by: secret))]
    if decision.isApproval {
      claims["challengeResponse"] = decision.number.map { .string(String($0)) }
    } else {
      // A server takes its presence for a denial, whatever it says.
      claims["deny"] = true
    }
    let message: JSONObject = [
      "messageId": .string(request.foreignID), "jwt": try AMProof.token(claims, by: secret),
    ]
    return try await hand(message, request, decision, to: account, details)
  }

  /// The numbers that may still be the right one.
  private func numbersLeft(of request: ApprovalRequest) -> Set<Int> {
    let wrong = wrongNumbers[request.ownedKey]?.numbers ?? []
    return Set(request.content.shown.numberOptions ?? []).subtracting(wrong)
  }

  /// A server has one word for a wrong number and for a push that it does not know any more: after the last number it
  /// was the second.
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
    let turn = CourierRequest.Turn(.decision, of: request.owner)
    do {
      try await server.post(message, to: account.authenticate, cookie: details.cookie, turn: turn)
    } catch {
      if case .unknown = error {
        doubt(request)
        remember(request, details)
      }
      // What asks for patience has not looked at it.
      guard case .refused(let status, _) = error, ![408, 425, 429].contains(status) else { throw error }
      if status == 400, doubts.removeValue(forKey: key) != nil { return .settled(.expired) }
      // Any other word is of somebody who stands before the server, and not of what that heard before.
      guard doubts[key] == nil else { throw error }
      if status == 400, let number = decision.number { return outcome(ofWrong: number, request) }
      throw Refusal(error.rpcError)
    }
    doubts[key] = nil
    remember(request, details)
    return .accepted()
  }

  /// What the server may have heard an answer to is not asked about again, whatever becomes of its account and its row.
  private func remember(_ request: ApprovalRequest, _ details: AMPushDetails) {
    let end = core.time.now().adding(seconds: AMPushes.longestMemory)
    do { try approvals.remember(try details.mark, for: AMPushes.answers, of: request, until: end) } catch {
      Journal.warning("an answered push could not be remembered", ["uid": request.owner])
    }
  }

  public func recall(_ request: ApprovalRequest) { doubt(request) }

  public func status(of request: ApprovalRequest) async throws -> Standing? { nil }

  private func doubt(_ request: ApprovalRequest) {
    let now = core.time.uptime()
    doubts = doubts.filter { $0.value > now }
    doubts[request.ownedKey] = now + .seconds(request.timeout)
  }
}
