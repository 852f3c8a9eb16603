import Configuration
import JSON
import Testing
import Time

@testable import ControlAPI

@Suite("Values")
struct ValueTests {
  static func reread<Value: ControlValue>(_ value: Value, _ json: JSON) throws -> JSON {
    try Value(reading: json).json
  }

  @Test("every value survives serialization, also with unknown members added")
  func reading() throws {
    for value in Self.values {
      let json = value.json
      #expect(try Self.reread(value, json) == json, "\(type(of: value))")
      guard !(value is RawJSON), !(value is JSONObject), !(value is DeviceReport) else { continue }
      #expect(try Self.reread(value, json.withNovelties) == json, "\(type(of: value))")
    }
  }

  @Test("a malformed value is refused with the path of the wrong member")
  func unreadable() {
    for json in [.null, 1, "x", [], ["account": "a"]] as [JSON] {
      #expect(throws: UnreadableValue.self) { try PairingInfo(reading: json) }
    }
    var account = Self.account.json.object ?? [:]
    account["user"] = ["username": "ann"]
    let error = #expect(throws: UnreadableValue.self) { try Account(reading: .object(account)) }
    #expect(error?.path == ["user", "id"])
    account["user"] = ["id": 1]
    let other = #expect(throws: UnreadableValue.self) { try Account(reading: .object(account)) }
    #expect(other?.path == ["user", "id"])
  }

  @Test("an unknown choice is kept as received")
  func unknownChoices() throws {
    var json = Self.account.json.object ?? [:]
    (json["kind"], json["geo"], json["state"]) = ("WALLET", "Atlantis", "dormant")
    let account = try Account(reading: .object(json))
    #expect(account.kind == .unknown("WALLET") && account.geography == .unknown("Atlantis"))
    #expect(account.state == .unknown("dormant") && account.state.choice == nil)
    #expect(account.json == .object(json))
    #expect(try Account(reading: Self.account.json).kind == .pingOne)
  }

  @Test("every result survives serialization, and a missing member is refused")
  func results() throws {
    for method in MethodTable.all {
      let json = method.exampleJSON.result
      #expect(try Self.reread(json, of: method) == json, "\(method.name)")
      guard let member = Self.onlyMember(of: method) else { continue }
      #expect(json.object?.names == [member], "\(method.name)")
      #expect(throws: UnreadableValue.self, "\(method.name)") { try Self.reread([:], of: method) }
      #expect(!method.resultSchema.accepts([:]) && !method.resultSchema.accepts([member: [[["x"]]]]))
    }
    #expect(try Self.reread(["notification": .null], of: NotificationProcess.self) == ["notification": .null])
  }

  static func reread<Method: ControlMethod>(_ json: JSON, of method: Method.Type) throws -> JSON {
    Method.json(of: try Method.result(reading: json))
  }

  static func onlyMember<Method: ControlMethod>(of method: Method.Type) -> String? {
    Method.envelope?.properties.first?.name
  }

  @Test("the test values include every result type without an envelope")
  func complete() {
    let types = Set(Self.values.map { ObjectIdentifier(type(of: $0)) })
    for method in MethodTable.all where Self.onlyMember(of: method) == nil {
      #expect(types.contains(Self.answer(of: method)), "\(method.name)")
    }
  }

  static func answer<Method: ControlMethod>(of method: Method.Type) -> ObjectIdentifier {
    ObjectIdentifier(Method.Result.self)
  }

  @Test("a schema refuses an extra, a missing and a mistyped member")
  func counterexamples() {
    for value in Self.values {
      guard let object = value.json.object, !(value is RawJSON), !(value is JSONObject) else {
        continue
      }
      let schema = type(of: value).schema
      var more = object
      more["unknown"] = 1
      #expect(!schema.accepts(.object(more)), "\(type(of: value))")
      for name in Self.requiredNames(of: schema) {
        var fewer = object
        fewer[name] = nil
        #expect(!schema.accepts(.object(fewer)), "\(type(of: value)) without \(name)")
        var other = object
        other[name] = [[["x"]]]
        #expect(!schema.accepts(.object(other)), "\(type(of: value)) \(name)")
      }
    }
  }

  /// Returns the required members except those that accept every value.
  static func requiredNames(of schema: Schema) -> [String] {
    switch schema {
    case .object(let properties):
      properties.filter { if case .anything = $0.schema { false } else { $0.isRequired } }.map(\.name)
    case .named(let named): requiredNames(of: named.schema)
    default: []
    }
  }

  @Test("members have the names of the interface")
  func names() {
    #expect(
      Self.fullNotification.json.object?.names == [
        "id", "account", "type", "state", "title", "body", "clientContext", "applicationContext", "category",
        "numberMatching", "timeoutDuration", "receivedAt", "expiresAt", "answer",
      ]
    )
    #expect(
      Self.passcode(next: nil).json
        == [
          "account": "a", "passcode": "012345", "validFrom": 30, "validUntil": 60, "timeWindowSize": 30,
          "remaining": 7,
        ]
    )
    #expect(
      Self.ann.json
        == ["id": "u-1", "username": "ann", "email": "a@b.c", "name": ["given": "Ann", "family": "Lee"]]
    )
    #expect(
      Self.code(.denied).json["users"]?.array?.first
        == ["userId": "u-1", "username": "ann", "email": "a@b.c", "given": "Ann", "family": "Lee"]
    )
    #expect(Self.nodes.last?.json["pairing"] == .null)
    #expect(Self.nodes.first?.json["pairing"] == nil)
  }
}

extension JSON {
  /// This value with an unknown member added to every object with fixed member names.
  fileprivate var withNovelties: JSON {
    switch self {
    case .object(let object):
      let free: Set<String> = [
        "clientContext", "applicationContext", "confirmationInfo", "raw", "value", "payload", "posture",
      ]
      var more = JSONObject(
        object.members.map { ($0.name, free.contains($0.name) ? $0.value : $0.value.withNovelties) }
      )
      more["novelty"] = ["x": 1]
      return .object(more)
    case .array(let elements): return .array(elements.map(\.withNovelties))
    case .null, .bool, .number, .string: return self
    }
  }
}
