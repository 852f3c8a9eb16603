import ControlAPI
import JSON
import JSONRPC
import Testing

@Suite("Method table")
struct MethodTableTests {
  @Test("methods are sorted and unique")
  func sorted() {
    let names = MethodTable.all.map { $0.name }
    #expect(names == names.sorted())
    #expect(Set(names).count == names.count)
  }

  @Test("every method has a summary in one lower-case sentence")
  func summaries() {
    for method in MethodTable.all {
      #expect(!method.summary.isEmpty && method.summary.first?.isLowercase == true, "\(method.name)")
      #expect(!method.summary.hasSuffix("."), "\(method.name)")
    }
  }

  @Test("errors of the native SDK that no method returns are marked as reserved")
  func reserved() throws {
    let document = try JSON(parsing: OpenRPC.document(of: MethodTable.all, version: "1").bytes)
    let errors = try #require(document["components"]?["errors"]?.object)
    let marked = errors.members.filter { $0.value["x-reserved"] == true }
    #expect(Set(marked.compactMap { $0.value["code"]?.int }) == [10007, 10014, 10015, 10021, 10022])
    #expect(errors["DEVICE_TOKEN_IS_MISSING"]?["code"] == 10001)
    #expect(errors["TEST_REMOTE_NOTIFICATION_ALREADY_RUNNING"]?["code"] == 10016)
    for method in document["methods"]?.array ?? [] {
      for name in marked.map(\.name) {
        #expect(method["errors"]?.array?.contains(["$ref": .string("#/components/errors/\(name)")]) == false)
      }
    }
  }

  @Test("a method refuses an array and unknown, missing or mistyped parameters")
  func parameters() throws {
    #expect(throws: RPCError.self) { try PairingPair(parsing: ["x"]) }
    let unknown = #expect(throws: RPCError.self) {
      try PairingPair(parsing: ["pairingKey": "k", "secret": 1])
    }
    #expect(unknown?.names("secret") == true)
    let missing = #expect(throws: RPCError.self) { try PairingPair(parsing: nil) }
    #expect(missing?.names("pairingKey") == true)
    let wrong = #expect(throws: RPCError.self) { try PairingPair(parsing: ["pairingKey": 1]) }
    #expect(wrong?.names("pairingKey") == true)
    #expect(try PairingPair(parsing: ["pairingKey": "k"]).pairingKey == "k")
  }

  @Test("fractional and out-of-range numbers are refused")
  func numbers() {
    for limit in [JSON.number(JSONNumber(1.5)), 0, 201, "1", .null] {
      #expect(throws: RPCError.self) { try NotificationList(parsing: ["limit": limit]) }
    }
    #expect(throws: Never.self) { try NotificationList(parsing: ["limit": 200]) }
  }

  @Test("the document contains every method and every referenced schema")
  func document() throws {
    let document = try JSON(parsing: OpenRPC.document(of: MethodTable.all, version: "1").bytes)
    let methods = try #require(document["methods"]?.array)
    #expect(methods.count == MethodTable.all.count)
    let schemas = try #require(document["components"]?["schemas"]?.object)
    let references = document.text.split(separator: "#/components/schemas/").dropFirst()
    for reference in references {
      let name = String(reference.prefix { $0 != "\"" })
      #expect(schemas[name] != nil, "\(name)")
    }
  }
}
