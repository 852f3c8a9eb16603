import AMEnrolments
import Accounts
import ControlAPI
import CourierProtocol
import EventLoop
import Fixtures
import Glibc
import JSON
import JSONRPC
import OATHExports
import TestLoop
import TestPlatform
import Testing
import Time
import Vault
import WebAddress

@testable import PingAM

@Suite("import of PingAM accounts from another authenticator", .timeLimit(.minutes(30)))
struct ImportTests {
  @Test("both mechanisms become one account, and a second import reports them as existing")
  func halves() async throws {
    try await AMBench.run { bench in
      let both = ImportSample.records(oath: [:])
      let twice = JSON.array((both.array ?? []) + (both.array ?? []).suffix(1))
      let tried = try await ImportSample.take(bench, both, dryRun: true)
      #expect(tried.accounts.map { $0.authenticators.map(\.type) } == [["PUSH", "OTP"]])
      #expect(ImportSample.reasons(try await ImportSample.take(bench, twice, dryRun: true)) == ["3 exists"])
      #expect(try bench.life.vault.rows(.account) == 0)
      #expect(bench.requests.isEmpty)
      let made = try await ImportSample.take(bench, both)
      #expect(made.accounts.map { $0.authenticators.map(\.type) } == [["PUSH", "OTP"]])
      #expect(made.skipped.isEmpty)
      let passcode = try bench.life.passcodes.passcode(
        of: made.accounts[0].id,
        next: false,
        owner: AMBench.owner
      )
      #expect(passcode.timed?.period == 60 && passcode.timed?.current.passcode.count == 8)
      let again = try await ImportSample.take(bench, both)
      #expect(again.accounts.isEmpty && ImportSample.reasons(again) == ["1 exists", "2 exists"])
      // Other passcodes with the same names become another account.
      let other = try await ImportSample.take(
        bench,
        ImportSample.records(oath: ["secret": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"])
      )
      #expect(other.accounts.map(\.kind) == [.known(.oath)] && ImportSample.reasons(other) == ["1 exists"])
    }
  }

  @Test("one unusable mechanism does not prevent the import of the other")
  func oneHalf() async throws {
    try await AMBench.run { bench in
      let elsewhere = "https://other.example/?_action=authenticate"
      let push = try await ImportSample.take(bench, ImportSample.records(oath: ["algorithm": "md5"]))
      #expect(push.accounts.map { $0.authenticators.map(\.type) } == [["PUSH"]])
      #expect(ImportSample.reasons(push) == ["2 unsupported"])
      let oath = try await ImportSample.take(
        bench,
        ImportSample.records(["authenticationEndpoint": .string(elsewhere), "mechanismUID": "m2"], oath: [:])
      )
      #expect(
        oath.accounts.map(\.kind) == [.known(.oath)] && ImportSample.reasons(oath) == ["1 originRefused"]
      )
    }
  }

  @Test("passcodes that already exist stay in their account")
  func passcodesBefore() async throws {
    try await AMBench.run { bench in
      let alone = try await ImportSample.take(bench, ImportSample.records(["secret": "AAAA"], oath: [:]))
      #expect(
        alone.accounts.map(\.kind) == [.known(.oath)] && ImportSample.reasons(alone) == ["1 unsupported"]
      )
      let both = try await ImportSample.take(bench, ImportSample.records(oath: [:]))
      #expect(both.accounts.map { $0.authenticators.map(\.type) } == [["PUSH"]])
      #expect(ImportSample.reasons(both) == ["2 exists"])
    }
  }

  @Test("two owners may import the same account, and one owner only once")
  func owners() async throws {
    try await AMBench.run { bench in
      let first = try #require(try await ImportSample.take(bench).accounts.first)
      let second = try #require(try await ImportSample.take(bench, owner: 7).accounts.first)
      #expect(first.id != second.id && second.label == "bob")
      // Both owners receive the push, independently of each other.
      let payload = try bench.push()
      let pushes = [try bench.receive(payload), try bench.receive(payload, owner: 7)]
      #expect(pushes.map(\.account) == [first.id, second.id] && pushes.allSatisfy { $0.state == .pending })
      _ = try await bench.life.accounts.core.owners.erase(AMBench.owner)
      #expect(try bench.life.am.active(of: 7).map(\.mechanism) == [AMBench.mechanism])
      // One owner has the account once, also at another server or under another name.
      let renamed = try await ImportSample.take(
        bench,
        ImportSample.records(["accountName": "ann"], account: ["accountName": "ann"]),
        owner: 7
      )
      #expect(ImportSample.reasons(renamed) == ["1 exists"])
      let remade = try await ImportSample.take(bench, ImportSample.records(["mechanismUID": "m2"]), owner: 7)
      #expect(ImportSample.reasons(remade) == ["1 exists"])
    }
  }

  @Test(
    "an import requires a configured origin and applies the account's policies"
  )
  func conditions() async throws {
    try await AMBench.run { bench in
      for address in [
        "https://other.example/x", "http://am.example/x", "http://127.0.0.1/x", "https://am.example:8443/x",
      ] {
        let result = try await ImportSample.take(
          bench,
          ImportSample.records(["authenticationEndpoint": .string(address)])
        )
        #expect(result.accounts.isEmpty && ImportSample.reasons(result) == ["1 originRefused"], "\(address)")
      }
      bench.facts.hasBiometrics = false
      let policies: JSONObject = ["policies": #"{"biometricAvailable": {}}"#]
      let account = try #require(
        try await ImportSample.take(bench, ImportSample.records(oath: [:], account: policies)).accounts.first
      )
      #expect(account.lock == AccountLock(policy: "biometricAvailable", expiresAt: nil))
      #expect(throws: RPCError.self) {
        try bench.life.passcodes.passcode(of: account.id, next: false, owner: AMBench.owner)
      }
      bench.facts.hasBiometrics = true
      #expect(try bench.life.accounts.list(of: AMBench.owner).map(\.isLocked) == [false])
    }
  }

  @Test("policies lock an account with passcodes only, from an export and from an otpauth URI")
  func policiesOfPasscodes() async throws {
    try await AMBench.run { bench in
      bench.facts.hasBiometrics = false
      let policies = #"{"unknown": {}, "biometricAvailable": {}}"#
      let records = try #require(
        ImportSample.records(oath: [:], account: ["policies": .string(policies)]).array
      )
      let made = try await ImportSample.take(bench, [records[0], records[2]]).accounts
      let enrolled = try await bench.life.accounts.enrolments.enrol(
        "otpauth://totp/Acme:eve?secret=JBSWY3DPEHPK3PXP&policies=\(Base64.encode(policies.utf8))",
        owner: AMBench.owner
      )
      for account in made + [enrolled] {
        #expect(account.kind == .known(.oath))
        #expect(account.lock == AccountLock(policy: "biometricAvailable", expiresAt: nil))
        #expect(throws: RPCError.self) {
          try bench.life.passcodes.passcode(of: account.id, next: false, owner: AMBench.owner)
        }
      }
      bench.facts.hasBiometrics = true
      #expect(
        try bench.life.passcodes.passcode(of: enrolled.id, next: false, owner: AMBench.owner).timed != nil
      )
      #expect(try bench.life.accounts.list(of: AMBench.owner).map(\.isLocked) == [false, false])
      let free =
        "otpauth://totp/Acme:joe?secret=JBSWY3DPEHPK3PXPJBSWY3DP&policies=%7B%22unknown%22%3A%7B%7D%7D"
      #expect(try await !bench.life.accounts.enrolments.enrol(free, owner: AMBench.owner).isLocked)
    }
  }

  @Test("the account limit applies to an import, and both mechanisms count as one account")
  func room() async throws {
    try await AMBench.run { bench in
      let records = (0..<100).flatMap { number -> [JSON] in
        let names: JSONObject = ["accountName": .string("user\(number)")]
        let id: JSONObject = ["mechanismUID": .string("m\(number)"), "accountName": .string("user\(number)")]
        return ImportSample.records(id, oath: names, account: names).array ?? []
      }
      let result = try await ImportSample.take(bench, .array(records))
      #expect(
        result.accounts.count == Accounts.limit && result.accounts.allSatisfy { $0.authenticators.count == 2 }
      )
      #expect(result.accounts.map(\.label) == (0..<Accounts.limit).map { "user\($0)" })
      let left = 3 * Accounts.limit
      #expect(ImportSample.reasons(result) == (left..<300).filter { $0 % 3 != 0 }.map { "\($0) quota" })
    }
  }

  @Test("vectors of other clients are imported, unless their secret cannot sign")
  func vectors() async throws {
    let cases = try #require(try Fixtures.json("oath/storage_json.json")["migration"]?.array)
    let push = try #require(cases.first { $0["name"] == "push" })
    let origin = "am_origin = http://127.0.0.1:8080\nallow_loopback_http = yes"
    try await AMBench.run(configuration: origin) { bench in
      for name in ["legacy", "expect"] {
        let record = try #require(push[name]?.object)
        let refused = try await ImportSample.take(bench, .array([.object(record)]))
        #expect(ImportSample.reasons(refused) == ["0 invalid"])
        let address = "http://127.0.0.1:8080/openam/json/push/sns/message"
        let changes: JSONObject =
          name == "legacy"
          ? [
            "secret": .string(Base64.encode(AMBench.secret)),
            "authenticationEndpoint": .string(address + "?_action=authenticate"),
          ]
          : ["sharedSecret": .string(Base64.encode(AMBench.secret)), "serverEndpoint": .string(address)]
        let taken = try await ImportSample.take(
          bench,
          ImportSample.changing(record, changes),
          owner: name == "legacy" ? 1 : 2
        )
        #expect(taken.accounts.map(\.label) == ["user1"], "\(name)")
      }
    }
  }

  @Test("a password is rejected, because the format is not encrypted")
  func passwords() async throws {
    try await AMBench.run { bench in
      let request = AccountImport(data: ImportSample.records().text, password: "x")
      await #expect(throws: RPCError.self) {
        try await bench.life.accounts.importExport(request, owner: AMBench.owner)
      }
      let count = try bench.life.vault.rows(.account)
      #expect(count == 0)
    }
  }
}
