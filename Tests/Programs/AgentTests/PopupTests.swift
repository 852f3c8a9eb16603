import ControlAPI
import JSON
import Testing

@testable import Agent

@Suite("text and buttons of a popup")
struct PopupTests {
  private static func popup(
    _ members: [String: JSON] = [:],
    _ standing: OwnerStanding = OwnerStanding(),
    hasButtons: Bool = true
  ) throws -> Popup {
    .request(
      try .request(members: members),
      standing,
      among: try [("a1", "11112222-3333"), ("a2", "aaaabbbb-3333")].map { try .ofAnn($0, environment: $1) },
      note: nil,
      hasButtons: hasButtons
    )
  }

  @Test("a request shows its application, with buttons to approve, deny and report")
  func ordinary() throws {
    let popup = try Self.popup(["applicationContext": ["id": "x", "name": "Payroll"]])
    #expect(
      popup.lines == [
        "Approve the sign-on to Payroll?", "account: PingOne Europe 11112222, work, Ann Lee (ann)",
        "application: Payroll",
      ]
    )
    #expect(popup.summary == "Sign on" && popup.presses == [.approve(number: nil), .deny, .report])
    #expect(popup.presses.map(\.label) == ["Approve", "Deny", "Report"])
    #expect(!popup.isBrief)
  }

  @Test("the client context is shown under fixed labels")
  func context() throws {
    let popup = try Self.popup([
      "clientContext": ["ip": "198.51.100.7", "city": "Berlin", "account": "<b>bob</b>", "header": "Till 4"]
    ])
    #expect(
      popup.lines.suffix(4) == [
        "context: Till 4", "ip address: 198.51.100.7", "location: Berlin", "context: account: <b>bob</b>",
      ]
    )
  }

  @Test("a long context is truncated")
  func longContext() throws {
    let members = (1...100).map { ("m\($0)", JSON.string(String(repeating: "x", count: 5000))) }
    let popup = try Self.popup(["clientContext": .object(JSONObject(members))])
    #expect(popup.lines.count == 8 && popup.lines.allSatisfy { $0.count <= 400 })
  }

  @Test("an unknown account is shown by its id")
  func unknownAccount() throws {
    #expect(try Self.popup(["account": "a9"]).lines.contains("account: a9"))
  }

  @Test("a locked session shows only that a sign-on waits")
  func lockedSession() {
    #expect(Popup.locked == Popup(summary: "A sign-on request is pending", lines: []))
  }

  @Test("a locked owner sees how to unlock and may deny, but no request text")
  func lockedOwner() throws {
    var standing = OwnerStanding()
    standing.isLocked = true
    let popup = try Self.popup([:], standing)
    #expect(popup.summary == "Sign-on request")
    #expect(popup.lines == ["your authenticator is locked; open it with: authctl unlock"])
    #expect(popup.presses == [.deny, .report])
    standing.isDisabled = true
    let disabled = try Self.popup([:], standing)
    #expect(disabled.presses == [.deny, .report] && disabled.lines.contains { $0.contains("authctl reset") })
  }

  @Test("approve has no button if every approval requires user presence")
  func presence() throws {
    var standing = OwnerStanding()
    standing.wantsPresence = true
    let popup = try Self.popup([:], standing)
    #expect(popup.presses == [.deny, .report] && popup.lines.last?.contains("authctl approve") == true)
  }

  @Test(
    "one of three numbers is chosen by a button, and deny is the first button"
  )
  func choices() throws {
    let popup = try Self.popup(["numberMatching": ["type": "SELECT_NUMBER", "options": [7, 42, 90]]])
    let numbers: [Popup.Press] = [7, 42, 90].map { .approve(number: $0) }
    #expect(popup.presses == [.deny] + numbers + [.report])
    #expect(popup.presses.map(\.key) == ["deny", "number-7", "number-42", "number-90", "report"])
    #expect(popup.lines.last?.contains("press the number that is shown where you sign on") == true)
  }

  @Test(
    "a number to type, or among more than ten, refers to the command",
    arguments: [
      ["type": "ENTER_MANUALLY"], ["type": "SELECT_NUMBER", "options": []],
      ["type": "SELECT_NUMBER", "options": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    ] as [JSON]
  )
  func typedNumber(matching: JSON) throws {
    let popup = try Self.popup(["numberMatching": matching])
    #expect(popup.presses == [.deny, .report])
    #expect(popup.lines.last?.contains("with the number that is shown where you sign on") == true)
  }

  @Test("the category none removes the approve button")
  func withoutButtons() throws {
    let popup = try Self.popup(["category": "none"])
    #expect(popup.presses == [.deny, .report] && popup.lines.last == "approve it with: authctl approve")
  }

  @Test("a server without buttons gets both commands")
  func serverWithoutButtons() throws {
    let popup = try Self.popup(hasButtons: false)
    #expect(popup.presses.isEmpty)
    #expect(
      popup.lines.suffix(2) == [
        "approve it with: authctl approve", "deny it with: authctl deny",
      ]
    )
  }

  @Test("control characters are removed and long texts truncated")
  func hostile() throws {
    let popup = try Self.popup([
      "title": "a\u{202E}b\u{1B}[2Jc\nd", "body": .string(String(repeating: "x", count: 5000)),
    ])
    let text = popup.summary + popup.lines.joined()
    #expect(!text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" || $0 == "\n" })
    #expect(popup.lines.allSatisfy { $0.count <= 400 })
  }
}
