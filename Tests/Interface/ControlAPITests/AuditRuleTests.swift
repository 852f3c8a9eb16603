import ControlAPI
import JSON
import JSONRPC
import Testing

@Suite("What the audit tells of calls")
struct AuditRuleTests {
  @Test("whatever answers, administers or erases leaves an entry; passcodes and looking leave none")
  func methods() {
    for method in MethodTable.all {
      let (isAudited, isWrite) = (method.audit != nil, method.isWrite)
      switch method.access {
      case .answer, .admin: #expect(isAudited, "\(method.name)")
      case .read: #expect(!isAudited, "\(method.name)")
      case .service: #expect(isAudited == isWrite, "\(method.name)")
      case .use: #expect(isAudited == isWrite, "\(method.name)")
      }
      if isAudited { #expect(isWrite, "\(method.name) could fill the disk") }
    }
    #expect(PayloadGenerate.audit != nil && PasscodeGet.audit == nil)
  }

  @Test("a target or a reason in a parameter is one that the method has")
  func parameters() {
    for method in MethodTable.all {
      guard let rule = method.audit else { continue }
      let names = method.parameters.map(\.name)
      if case .parameter(let name) = rule.target { #expect(names.contains(name), "\(method.name)") }
      if case .denial(let name) = rule.outcome { #expect(names.contains(name), "\(method.name)") }
    }
  }

  @Test("the target is the id of a thing that there is")
  func target() {
    let rule = AuditRule(.parameter("notification"))
    let params: JSON = ["notification": "abc_-9"]
    #expect(rule.target(params: params, result: .success([:])) == "abc_-9")
    #expect(rule.target(params: params, result: .failure(.alreadyAnswered)) == "abc_-9")
    // What was not found or not understood is the caller's text.
    #expect(rule.target(params: params, result: .failure(.notFound)) == nil)
    #expect(rule.target(params: params, result: .failure(.invalidParameter("notification"))) == nil)
    for text in ["", "ann smith", "ann@example", String(repeating: "x", count: 65), "ä"] {
      #expect(rule.target(params: ["notification": .string(text)], result: .success([:])) == nil)
    }
    #expect(rule.target(params: nil, result: .success([:])) == nil)
    let answer = AuditRule(.answer(["pairing", "id"]))
    #expect(answer.target(params: nil, result: .success(["pairing": ["id": "p1"]])) == "p1")
    #expect(answer.target(params: nil, result: .success(["pairing": .null])) == nil)
    #expect(answer.target(params: nil, result: .failure(.serverError)) == nil)
    #expect(AuditRule(.parameter("uid")).target(params: ["uid": 1001], result: .success([:])) == "1001")
  }

  @Test("the outcome is ok, the reason of an error or of a denial, or how a thing ended otherwise")
  func outcome() {
    #expect(AuditRule().outcome(params: nil, result: .success([:])) == "ok")
    #expect(AuditRule().outcome(params: nil, result: .failure(.expired)) == "EXPIRED")
    let denial = AuditRule(outcome: .denial(parameter: "reason"))
    #expect(
      denial.outcome(params: ["reason": "REPORT_FRAUD"], result: .success([:])) == "DENIED_REPORT_FRAUD"
    )
    #expect(denial.outcome(params: ["reason": "NONE"], result: .success([:])) == "ok")
    #expect(denial.outcome(params: [:], result: .success([:])) == "ok")
    #expect(denial.outcome(params: ["reason": "REPORT_FRAUD"], result: .failure(.cancelled)) == "AUTH_CANCEL")
    let member = AuditRule(outcome: .member("node", unremarkable: ["continue", "success"]))
    #expect(member.outcome(params: nil, result: .success(["node": "continue"])) == "ok")
    #expect(member.outcome(params: nil, result: .success(["node": "error"])) == "ERROR")
    #expect(member.outcome(params: nil, result: .success([:])) == "ok")
  }
}
