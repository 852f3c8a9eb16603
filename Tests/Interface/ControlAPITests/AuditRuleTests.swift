import ControlAPI
import JSONRPC
import Testing

@Suite("Audit rules of calls")
struct AuditRuleTests {
  @Test("answer, admin and erase calls are audited, passcodes counted, and reads neither")
  func methods() {
    for method in MethodTable.all {
      let (isAudited, isWrite) = (method.isAudited, method.isWrite)
      switch method.access {
      case .answer, .admin: #expect(isAudited, "\(method.name)")
      case .read: #expect(isAudited == ["lock.now", "lock.unlock"].contains(method.name), "\(method.name)")
      case .service: #expect(isAudited == isWrite, "\(method.name)")
      case .use: #expect(isAudited == (isWrite || method.name == PasscodeGet.name), "\(method.name)")
      }
      if isAudited, method.name != PasscodeGet.name { #expect(isWrite, "\(method.name) could fill the disk") }
    }
    #expect(PayloadGenerate.audit != nil)
  }

  @Test("a counted call has an entry without an outcome if it succeeded, and none otherwise")
  func counted() throws {
    let rule = try #require(PasscodeGet.audit)
    let entry = try #require(rule.entry(PasscodeGet(), .success(Samples.passcode)))
    #expect(entry.target == "a1" && entry.outcome == nil)
    #expect(rule.entry(PasscodeGet(), .failure(.locked)) == nil)
    let step = try #require(LoginNext.audit?.entry(LoginNext(login: "l"), .failure(.expired)))
    #expect(step.target == "l" && step.outcome == "EXPIRED")
  }

  private static let sought = NotificationDeny(notification: "abc_-9", reason: "REPORT_FRAUD")
  private static let denied = NotificationDeny.Result(Samples.notification)

  @Test("audit target is an existing id, never text of the caller")
  func target() throws {
    let rule = try #require(NotificationDeny.audit)
    #expect(rule.target(Self.sought, .success(Self.denied)) == "abc_-9")
    #expect(rule.target(Self.sought, .failure(.alreadyAnswered)) == "abc_-9")
    // An id that is malformed or not found is arbitrary text of the caller.
    #expect(rule.target(Self.sought, .failure(.notFound)) == nil)
    // The same holds for every variant of the error.
    for error in [
      RPCError.noSuch("request"), .notFound.withMessage("no such device"), .notFound.caused(by: "gone"),
    ] {
      #expect(rule.target(Self.sought, .failure(error)) == nil, "\(error)")
    }
    #expect(rule.target(Self.sought, .failure(.invalidParameter("notification"))) == nil)
    for text in ["", "ann smith", "ann@example", String(repeating: "x", count: 65), "ä"] {
      #expect(rule.target(NotificationDeny(notification: text), .success(Self.denied)) == nil)
    }
    #expect(rule.target(nil, .failure(.permissionDenied)) == nil)
    #expect(try #require(OwnerErase.audit).target(OwnerErase(uid: 1001), .success(Nothing())) == "1001")
  }

  @Test("audit target of a creating call is the id in its result")
  func made() throws {
    let rule = try #require(PairingProcessIDToken.audit)
    let call = PairingProcessIDToken(idToken: "x.y.z")
    #expect(rule.target(call, .success(Samples.pairing)) == "p1")
    #expect(rule.target(call, .success(nil)) == nil)
    #expect(rule.target(call, .failure(.serverError)) == nil)
  }

  @Test("audit outcome is ok, an error or denial reason, or the final state")
  func outcome() throws {
    let plain = try #require(AccountRename.audit)
    let rename = AccountRename(account: "a", nickname: "n")
    #expect(plain.outcome(rename, .success(Samples.account)) == "ok")
    #expect(plain.outcome(rename, .failure(.expired)) == "EXPIRED")
    let denial = try #require(NotificationDeny.audit)
    #expect(denial.outcome(Self.sought, .success(Self.denied)) == "DENIED_REPORT_FRAUD")
    let unexplained = NotificationDeny(notification: "n", reason: "NONE")
    #expect(denial.outcome(unexplained, .success(Self.denied)) == "ok")
    #expect(denial.outcome(NotificationDeny(notification: "n"), .success(Self.denied)) == "ok")
    #expect(denial.outcome(Self.sought, .failure(.cancelled)) == "AUTH_CANCEL")
    let step = try #require(LoginNext.audit)
    let next = LoginNext(login: "l")
    for (outcome, told) in [
      (Node.Outcome.next, "ok"), (.success, "ok"), (.error, "ERROR"), (.failure, "FAILURE"),
    ] {
      let node = Node(login: "l", outcome: outcome, method: .signon, issuer: nil)
      #expect(step.outcome(next, .success(node)) == told)
    }
    let code = try #require(AuthenticationApprove.audit)
    let approve = AuthenticationApprove(authentication: "c")
    #expect(code.outcome(approve, .success(.known(.completed))) == "ok")
    #expect(code.outcome(approve, .success(.known(.expired))) == "EXPIRED")
  }
}
