import JSON
import JSONRPC
import Testing

@testable import ControlAPI

@Suite("Client requests")
struct RequestTests {
  private static func params(_ method: some ControlMethod) throws -> JSON? {
    let line = method.request(id: 7)
    guard case .single(.success(let request)) = try RPCMessage(parsing: line) else {
      Issue.record("not a request: \(String(decoding: line, as: UTF8.self))")
      return nil
    }
    #expect(request.method == type(of: method).name)
    #expect(request.id?.bytes == Array("7".utf8))
    return request.params
  }

  @Test("parameters are written by name, and default values are omitted")
  func names() throws {
    #expect(try Self.params(PasscodeGet()) == [:])
    #expect(try Self.params(PasscodeGet(account: "a", wantsNext: true)) == ["account": "a", "next": true])
    #expect(try Self.params(ServiceStatus()) == nil)
    #expect(try Self.params(DeviceRemoveLocalData()) == ["confirm": true])
    #expect(try Self.params(OwnerErase(uid: 1001)) == ["uid": 1001, "confirm": true])
    #expect(
      try Self.params(NotificationList(state: .pending, page: Page(limit: 3))) == [
        "state": "pending", "limit": 3,
      ]
    )
    #expect(
      try Self.params(EventSubscribe(topics: [.account, .pairing])) == ["topics": ["pairing", "account"]]
    )
    #expect(
      try Self.params(LoginStart(method: .signon, parameters: ["prompt": "login"]))
        == ["method": "signon", "parameters": ["prompt": "login"]]
    )
  }

  @Test("every call survives serialization")
  func roundTrip() throws {
    for method in MethodTable.all { try Self.check(method) }
  }

  private static func check<Method: ControlMethod>(_ method: Method.Type) throws {
    let all = Schema.object(method.properties).fullExample
    let written = try params(try Method(parsing: all)) ?? [:]
    // A default value is omitted, and parsing restores it.
    for member in written.object?.members ?? [] {
      #expect(all[member.name] == member.value, "\(method.name)")
    }
    #expect(try params(try Method(parsing: written)) ?? [:] == written, "\(method.name)")
    for property in method.properties where property.isRequired {
      #expect(written[property.name] != nil, "\(method.name) \(property.name)")
    }
  }
}
