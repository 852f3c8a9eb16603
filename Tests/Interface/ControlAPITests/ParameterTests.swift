import JSON
import JSONRPC
import Testing

@testable import ControlAPI

extension Schema {
  /// A minimal value that fits the schema.
  fileprivate var example: JSON {
    switch self {
    case .text: "x"
    case .choice(let texts): .string(texts.first ?? "")
    case .instant: "2026-11-21T09:00:00Z"
    case .integer(let range): .int(range.lowerBound)
    case .number: .number(JSONNumber(1.5))
    case .boolean, .confirmation: true
    case .object(let properties):
      .object(JSONObject(properties.filter(\.isRequired).map { ($0.name, $0.schema.example) }))
    case .map, .nullable: [:]
    case .array: []
    case .either(let one, _): one.example
    case .anything: [:]
    case .named(let named): named.schema.example
    }
  }

  /// An object with all its properties.
  var fullExample: JSON {
    guard case .object(let properties) = self else { return example }
    return .object(JSONObject(properties.map { ($0.name, $0.schema.example) }))
  }

  /// Values that do not fit the schema.
  fileprivate var counterexamples: [JSON] {
    switch self {
    case .text(let maximum): [1, .null, .string(String(repeating: "x", count: maximum + 1))]
    case .choice(let texts): [1, "no such choice", .string((texts.first ?? "") + " "), ""]
    case .instant: [1, "yesterday", "2026-11-21"]
    case .integer(let range):
      ["1", .number(JSONNumber(0.5))]
        + (range.lowerBound > .min ? [.int(range.lowerBound - 1)] : [])
        + (range.upperBound < .max ? [.int(range.upperBound + 1)] : [])
    case .number: ["1", .null]
    case .boolean: ["true", 1, .null]
    case .confirmation: [false, "true", 1]
    case .object(let properties):
      [[], "x"]
        + properties.filter(\.isRequired).map { property in
          var object = example.object ?? [:]
          object[property.name] = nil
          return .object(object)
        }
    case .map(let schema): [[], "x", 1] + schema.counterexamples.map { ["name": $0] }
    case .array(let schema): [[:], "x"] + schema.counterexamples.map { [$0] }
    case .nullable(let schema): schema.counterexamples.filter { !$0.isNull }
    case .either(let one, let other): one.counterexamples.filter { !other.accepts($0) }
    case .anything: []
    case .named(let named): named.schema.counterexamples
    }
  }
}

extension RPCError {
  /// True if the error is INVALID_PARAMS and names this parameter, or none if nil.
  func names(_ parameter: String?) -> Bool {
    code == -32602 && reason == "INVALID_PARAMS" && !retry
      && details["parameter"] == parameter.map { .string($0) }
  }
}

@Suite("Parameters")
struct ParameterTests {
  private static func refusal(_ method: any ControlMethod.Type, _ params: JSONObject) -> RPCError? {
    do { _ = try method.init(parsing: .object(params)) } catch { return error }
    return nil
  }

  private static func required(_ method: any ControlMethod.Type) -> JSONObject {
    Schema.object(method.properties).example.object ?? [:]
  }

  @Test("every method accepts its required parameters alone and all parameters")
  func accepted() {
    for method in MethodTable.all {
      #expect(Self.refusal(method, Self.required(method)) == nil, "\(method.name)")
      let all = JSONObject(method.properties.map { ($0.name, $0.schema.example) })
      #expect(Self.refusal(method, all) == nil, "\(method.name)")
    }
  }

  @Test("every method names a missing required parameter")
  func missing() {
    for method in MethodTable.all {
      for property in method.properties where property.isRequired {
        var params = Self.required(method)
        params[property.name] = nil
        let refusal = Self.refusal(method, params)
        #expect(refusal?.names(property.name) == true, "\(method.name)")
        #expect(refusal?.message.hasSuffix("is missing") == true, "\(method.name)")
      }
    }
  }

  @Test("every method names a parameter with a value of wrong shape")
  func shapes() {
    var count = 0
    for method in MethodTable.all {
      for property in method.properties {
        for value in property.schema.counterexamples {
          var params = Self.required(method)
          params[property.name] = value
          let refusal = Self.refusal(method, params)
          #expect(
            refusal?.names(property.name) == true && refusal?.message.contains("must be") == true,
            "\(method.name) \(property.name) \(value.text.prefix(80))"
          )
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  @Test("the maximum length of a text counts code points")
  func codePoints() {
    let schema = Schema.text(maximum: 6)
    for text in ["", "abcdef", "ääääää", "👩👩👩👩👩👩", "e\u{301}e\u{301}e\u{301}"] {
      #expect(schema.accepts(.string(text)), "\(text)")
    }
    for text in ["abcdefg", "äääääää", "👩👩👩👩👩👩👩", "e\u{301}e\u{301}e\u{301}e"] {
      #expect(!schema.accepts(.string(text)), "\(text)")
    }
    #expect(schema.json["maxLength"] == 6)
  }

  @Test("every method refuses an unknown parameter, and names it unless it is arbitrary text")
  func unknown() {
    for method in MethodTable.all {
      for name in ["secret-of-the-caller", "", "Notification", "confirm"]
      where !method.properties.contains(where: { $0.name == name }) {
        var params = Self.required(method)
        params[name] = "x"
        let refusal = Self.refusal(method, params)
        let isNamed = ["Notification", "confirm"].contains(name)
        #expect(refusal?.names(isNamed ? name : nil) == true, "\(method.name) \(name)")
        #expect(refusal?.json.text.contains("secret-of") == false)
      }
      for params in [[], "x", 1, .null, true] as [JSON] {
        #expect(throws: RPCError.invalidParams, "\(method.name)") { try method.init(parsing: params) }
      }
    }
  }

  @Test("an error message names the allowed values")
  func sentences() {
    let sentences: [(any ControlMethod.Type, JSONObject, String)] = [
      (PairingPair.self, [:], "the parameter \"pairingKey\" is missing"),
      (
        PairingPair.self, ["pairingKey": 1],
        "the parameter \"pairingKey\" must be a text of at most 64 characters"
      ),
      (
        NotificationList.self, ["limit": 201],
        "the parameter \"limit\" must be a whole number from 1 to 200"
      ),
      (
        NotificationDeny.self, ["notification": "n", "reason": "SPITE"],
        "the parameter \"reason\" must be one of NONE, REPORT_FRAUD, BIOMETRICS_REJECTED"
      ),
      (OwnerErase.self, ["uid": 1, "confirm": false], "the parameter \"confirm\" must be true"),
      (
        PasscodeGet.self, ["secret": 1],
        "passcode.get takes no parameter but account, next, confirm, presence"
      ),
      (ServiceStatus.self, ["secret": 1], "service.status takes no parameters"),
      (
        EventSubscribe.self, ["topics": ["all"]],
        "the parameter \"topics\" must be a list, each of its elements one of notification, pairing, "
          + "authentication, account, service"
      ),
    ]
    for (method, params, sentence) in sentences {
      #expect(Self.refusal(method, params)?.message == sentence, "\(method.name)")
    }
  }

  @Test("details name an unknown parameter and the allowed ones, but no arbitrary text")
  func unknownParameters() {
    let refusal = Self.refusal(LockUnlock.self, ["pin": "280491", "secnods": 1])
    #expect(refusal?.details == ["parameter": "secnods", "allowed": ["pin", "seconds"]])
    #expect(Self.refusal(LockUnlock.self, ["pin": "280491", "hunter2!": 1])?.details.isEmpty == true)
    let wrong = Self.refusal(NotificationDeny.self, ["notification": "n", "reason": "SPITE"])
    #expect(wrong?.details["allowed"] == ["NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"])
  }

  @Test("params may be absent if no parameter is required")
  func absent() {
    for method in MethodTable.all {
      let isFree = !method.properties.contains(where: \.isRequired)
      #expect((try? method.init(parsing: nil)) != nil ? isFree : !isFree, "\(method.name)")
    }
  }

  @Test("optional parameters have the documented defaults")
  func defaults() throws {
    #expect(try NotificationApprove(parsing: ["notification": "n"]).authenticationMethod == "user")
    #expect(try NotificationDeny(parsing: ["notification": "n"]).reason == "NONE")
    #expect(try NotificationList(parsing: nil).page.limit == 50)
    #expect(try EventSubscribe(parsing: nil).topics.isEmpty)
    #expect(try PasscodeGet(parsing: nil).wantsNext == false)
    #expect(try AuditList(parsing: nil).page.limit == 50)
    #expect(try DeviceTestPush(parsing: nil).geography == nil)
  }

  @Test("every method has the documented access class")
  func classes() {
    let classes: [AccessClass: Set<String>] = [
      .read: [
        "account.list", "audit.list", "audit.verify", "authentication.list", "device.info", "event.subscribe",
        "event.unsubscribe", "lock.now", "lock.unlock", "notification.categories", "notification.get",
        "notification.list",
        "pairing.list",
        "rpc.discover", "service.doctor", "service.status", "session.list",
      ],
      .use: [
        "device.sendLogs", "device.setPushAllowed", "device.setPushToken", "device.testPush", "passcode.get",
        "payload.generate", "session.end", "session.logout", "session.userinfo",
      ],
      .answer: [
        "authentication.approve", "authentication.deny", "authentication.start", "login.cancel", "login.next",
        "login.resume", "login.start", "notification.act", "notification.approve", "notification.deny",
        "notification.process", "pairing.approve",
        "pairing.ignore", "pairing.pair", "pairing.processIdToken",
      ],
      .admin: [
        "account.enrol", "account.import", "account.remove", "account.rename", "device.configure",
        "device.removeLocalData", "device.rotateKeys",
        "device.setKeepOnReinstall", "lock.clear", "lock.set", "passcode.import", "presence.set",
      ],
      .service: ["backup.create", "backup.list", "owner.erase", "owner.list", "service.metrics"],
    ]
    for method in MethodTable.all {
      #expect(classes[method.access]?.contains(method.name) == true, "\(method.name)")
    }
    #expect(MethodTable.all.count == classes.values.map(\.count).reduce(0, +))
  }
}
