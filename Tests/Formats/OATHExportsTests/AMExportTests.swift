import Fixtures
import JSON
import OATHExports
import Testing

@Suite("PingAM authenticator library exports")
struct AMExportTests {
  private static func read(_ json: JSON, as format: ExportFormat? = .am) throws -> [ExportedEntry] {
    guard case .plain(let entries) = try Export(Array(json.text.utf8), as: format).contents else {
      throw Fixtures.Failure.unexpected(json.text)
    }
    return entries
  }

  /// Returns a mechanism in the migration format of the newer libraries.
  private static func move(_ mechanism: JSON, with account: JSON?) throws -> JSON {
    var mechanism = try #require(mechanism.object)
    mechanism["account"] = account.flatMap { $0.isNull ? nil : $0 }
    return ["mechanisms": [.object(mechanism)], "metadata": ["totalMechanisms": 1]]
  }

  private static func changing(_ json: JSON, _ changes: JSONObject) throws -> JSON {
    var object = try #require(json.object)
    for member in changes.members { object[member.name] = member.value }
    return .object(object)
  }

  private static func vectors(_ part: String, _ count: Int) throws -> [JSON] {
    let vectors = try #require(try Fixtures.json("oath/storage_json.json")[part]?.array)
    #expect(vectors.count == count)
    return vectors
  }

  private static func stored(_ kind: String) throws -> JSON {
    let one = try vectors("legacy", 5).first { $0["kind"]?.string == kind }
    return try #require(one?["json"])
  }

  private static func skip(_ entries: [ExportedEntry]) -> ExportedEntry.Skip? {
    if case .failure(let error)? = entries.first?.credential { .init(error) } else { nil }
  }

  private static func push(_ entries: [ExportedEntry]) throws -> PushRecord {
    guard case .push(let record)? = try entries.first?.credential.get() else {
      throw Fixtures.Failure.unexpected("no push")
    }
    return record
  }

  @Test("each stored record is read by its kind, alone and among others")
  func stored() throws {
    let records = try Self.vectors("legacy", 5)
    for record in records {
      let kind = try #require(record["kind"]?.string)
      let json = try #require(record["json"])
      let entries = try Self.read(json)
      guard ["totp", "hotp"].contains(kind) else {
        // A valid record that is not an account is dropped without a report.
        #expect(entries.isEmpty, "\(kind)")
        #expect(throws: ExportError.unknownFormat, "\(kind)") { try Self.read(json, as: nil) }
        continue
      }
      let credential = try #require(entries.first).record.get()
      #expect(credential.type.rawValue == kind && credential.counter == (kind == "hotp" ? 0 : nil))
      #expect(credential.secret == json["secret"]?.string && credential.algorithm == "SHA1")
      #expect(credential.period == (kind == "totp" ? 30 : nil) && credential.digits == 6)
      #expect(try Self.read(json, as: nil).count == 1)
    }
    let all = try JSON.array(records.map { try #require($0["json"]) })
    #expect(try Self.read(all).map(\.index) == [1, 2] && Self.read(all, as: nil).count == 2)
  }

  @Test("a record that is not a supported account is skipped with a reason")
  func rejects() throws {
    let outcomes = try Self.vectors("reject", 2).map { one in
      Self.skip(try Self.read(try #require(one["json"])))
    }
    #expect(outcomes == [.unsupported, .invalid])
  }

  @Test("migrated records are imported from each form with their algorithm")
  func migration() throws {
    for one in try Self.vectors("migration", 4) {
      let (legacy, expected) = (try #require(one["legacy"]), try #require(one["expect"]))
      let account = one["account"]
      var forms = [try Self.move(legacy, with: account)]
      if let account, !account.isNull { forms += [[account, legacy], [legacy, account]] }
      for form in forms {
        let entries = try Self.read(form)
        #expect(entries.map(\.names) == [AccountNames(issuer: "issuer1", label: "user1")])
        #expect(try Self.read(form, as: nil).count == 1)
        switch one["name"]?.string {
        case "push": try Self.check(Self.push(entries), expected)
        case "orphan": #expect(Self.skip(entries) == .invalid)
        case let name:
          let record = try #require(entries.first).record.get()
          // Other libraries replace unknown algorithms by SHA1, which gives wrong passcodes.
          #expect(record.algorithm == (name == "totp" ? "SHA1" : "SHA224"))
          #expect(record.secret == legacy["secret"]?.string && record.period == 30 && record.digits == 6)
          #expect(record.issuer == legacy["issuer"]?.string && record.label == legacy["accountName"]?.string)
        }
      }
      // The record of the newer libraries has the same content.
      switch one["name"]?.string {
      case "push": try Self.check(Self.push(Self.read(expected, as: nil)), expected)
      case "totp":
        let record = try #require(try Self.read(expected, as: nil).first).record.get()
        var moved = try #require(try Self.read(forms[0]).first).record.get()
        #expect(record.resource == expected["resourceId"]?.string)
        (moved.resource, moved.policies) = (record.resource, record.policies)
        #expect(record == moved)
      default: break
      }
    }
  }

  private static func check(_ push: PushRecord, _ expected: JSON) throws {
    let resource = push.endpoint.split(separator: "?").first.map(String.init)
    #expect(resource == expected["serverEndpoint"]?.string && push.secret == expected["sharedSecret"]?.string)
    #expect(push.mechanism == expected["id"]?.string && push.user == nil)
    #expect(push.issuer == expected["issuer"]?.string && push.label == expected["accountName"]?.string)
    #expect(push.policies == expected["policies"]?.string)
    // The newer libraries use their own id if the server sent none.
    #expect(push.resource == nil && expected["resourceId"] == expected["id"])
  }

  @Test("a mechanism without exactly one matching account is invalid")
  func accounts() throws {
    let (account, mechanism) = (try Self.stored("account"), try Self.stored("totp"))
    let other = try Self.changing(account, ["accountName": "user2"])
    for form: JSON in [
      [mechanism, other], [mechanism, account, account], try Self.move(mechanism, with: other),
      try Self.move(mechanism, with: 7), try Self.move(mechanism, with: [:]),
    ] { #expect(Self.skip(try Self.read(form)) == .invalid) }
    #expect(Self.skip(try Self.read([mechanism, account, other])) == nil)
  }

  @Test("a locked account is unsupported, and a malformed lock is invalid")
  func locks() throws {
    let (account, mechanism) = (try Self.stored("account"), try Self.stored("totp"))
    let newer = try #require(try Self.vectors("migration", 4)[0]["expect"])
    for (value, outcome) in [
      (true, .unsupported), (false, nil), ("true", .invalid), (1, .invalid), (JSON.null, nil),
    ] as [(JSON, ExportedEntry.Skip?)] {
      let locked = try Self.changing(account, ["lock": value])
      #expect(Self.skip(try Self.read([mechanism, locked])) == outcome)
      #expect(Self.skip(try Self.read(try Self.move(mechanism, with: locked))) == outcome)
      #expect(Self.skip(try Self.read(try Self.changing(newer, ["isLocked": value]))) == outcome)
    }
  }

  @Test("a device id of the server is kept only if it is an identifier")
  func resources() throws {
    let push = try #require(try Self.vectors("migration", 4)[0]["legacy"])
    for (value, resource) in [
      ("phone-1", "phone-1"), ("../x", nil), (push["mechanismUID"]?.string ?? "", nil), ("", nil),
    ] as [(String, String?)] {
      let record = try Self.push(Self.read(try Self.changing(push, ["resourceId": .string(value)])))
      #expect(record.resource == resource, "\(value)")
    }
  }

  @Test("a member of wrong type or value affects only its entry")
  func types() throws {
    let push = try Self.vectors("migration", 4)[0]
    let records = [
      try Self.stored("totp"), try Self.stored("hotp"), try #require(push["legacy"]),
      try #require(push["expect"]),
    ]
    let changes: [(Int, JSONObject, ExportedEntry.Skip)] = [
      (0, ["issuer": 7], .invalid), (0, ["accountName": .null], .invalid), (0, ["type": 7], .invalid),
      (0, ["type": "webauthn"], .unsupported), (0, ["secret": ["A"]], .invalid),
      (0, ["digits": "6"], .invalid),
      (0, ["period": .number(JSONNumber(30.5))], .invalid), (0, ["algorithm": 1], .invalid),
      (0, ["oathType": .null], .invalid),
      (0, ["resourceId": 1], .invalid), (1, ["counter": "0"], .invalid),
      (1, ["counter": .number(JSONNumber(1e300))], .invalid), (2, ["mechanismUID": 5], .invalid),
      (2, ["secret": .null], .invalid), (2, ["authenticationEndpoint": 1], .invalid),
      (2, ["uid": []], .invalid),
      (2, ["platform": "PING_ONE"], .unsupported),
      (3, ["platform": 1], .invalid), (3, ["platform": "PING_ONE"], .unsupported), (3, ["id": 1], .invalid),
      (3, ["serverEndpoint": .null], .invalid), (3, ["sharedSecret": 1], .invalid),
      (3, ["userId": 1], .invalid),
      (3, ["policies": [:]], .invalid),
    ]
    for (index, change, skip) in changes {
      var changed = records
      changed[index] = try Self.changing(records[index], change)
      let entries = try Self.read(.array(changed))
      let outcomes = entries.map { Self.skip([$0]) }
      #expect(outcomes == (0..<4).map { $0 == index ? skip : nil }, "\(change.names)")
    }
    // Times are ignored.
    let times = try Self.changing(records[0], ["timeAdded": -1_629_261_902_660])
    #expect(Self.skip(try Self.read(times)) == nil)
    for json: JSON in [
      [:], ["issuer": "a"], ["secret": "A", "issuer": "a", "accountName": "b"], [7], [[]], [.null],
    ] {
      #expect(Self.skip(try Self.read(json)) == .invalid, "\(json.text)")
    }
  }

  @Test("more than 1000 records are refused, and andOTP exports are distinguished")
  func limits() throws {
    let push = try #require(try Self.vectors("migration", 4)[0]["expect"])
    let short: JSON = ["oathType": "TOTP", "secret": "A", "issuer": "i", "accountName": "a"]
    let thousand = [JSON](repeating: short, count: 1000)
    #expect(try Self.read(.array(thousand), as: nil).count == 1000)
    #expect(throws: ExportError.tooManyEntries(maximum: 1000)) { try Self.read(.array(thousand + [short])) }
    // andOTP exports and these records are not confused with each other.
    let foreign: JSON = [["secret": "JBSWY3DPEHPK3PXP", "type": "TOTP", "label": "l", "issuer": "i"]]
    #expect(try Export(Array(foreign.text.utf8)).format == .andOTP)
    #expect(try Export(Array(JSON.array([short, push]).text.utf8)).format == .am)
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    for text in [
      "[\(deep)]", #"{"mechanismUID":"a","mechanismUID":"b"}"#, "[{]", #"{"policies":\#(deep)}"#,
    ] { #expect(throws: ExportError.malformed) { try Export(Array(text.utf8), as: .am) } }
  }

  @Test("a push record does not print its secret")
  func printing() throws {
    let record = try Self.push(Self.read(try #require(try Self.vectors("migration", 4)[0]["expect"])))
    var dumped = ""
    dump(record, to: &dumped)
    #expect("\(record)" == "PushRecord" && dumped.utf8.count < 40)
  }
}
