import Testing

@testable import Agent

@Suite("capabilities of notification servers")
struct CapabilityTests {
  private static let popup = Popup(summary: "s", lines: ["<b>Pay</b> & go", "two"])

  @Test("capabilities are read by name")
  func names() {
    let all = NotificationServer.Capabilities(["actions", "body", "body-markup", "body-hyperlinks"])
    #expect(all.hasButtons && all.hasBodies && all.readsMarkup)
    let none = NotificationServer.Capabilities(["persistence"])
    #expect(!none.hasButtons && !none.hasBodies && !none.readsMarkup)
  }

  @Test("markup is escaped only if the server reads it")
  func markup() {
    let reads = NotificationServer.Capabilities(["body", "body-markup"])
    #expect(Self.popup.body(reads) == "&lt;b&gt;Pay&lt;/b&gt; &amp; go\ntwo")
    #expect(Self.popup.body(NotificationServer.Capabilities(["body"])) == "<b>Pay</b> & go\ntwo")
    // Without bodies all text is in the summary, which has no markup.
    #expect(Self.popup.body(NotificationServer.Capabilities(["body-markup"])) == "<b>Pay</b> & go; two")
  }

  @Test("a late button press finds its notification among the last 256")
  func history() {
    var history = History()
    for number in UInt32(1)...300 { history.remember(number, .request("n\(number)"), [.deny]) }
    #expect(history[1] == nil && history[44] == nil)
    #expect(history[45]?.0 == .request("n45") && history[300]?.0 == .request("n300"))
    history.remember(300, .request("other"), [.report])
    #expect(history[300]?.0 == .request("other") && history[300]?.1 == [.report] && history[45] != nil)
  }
}
