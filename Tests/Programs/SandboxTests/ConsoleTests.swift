import HTTPServer
import TestLoop
import Testing
import Time

@testable import Sandbox

@Suite("console")
struct ConsoleTests {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)

  @Test("a ticket is valid once, for two minutes")
  func ticket() {
    var guests = ConsoleSessions()
    let (early, late) = (guests.makeTicket(at: Self.now), guests.makeTicket(at: Self.now))
    let tries = [
      guests.redeem("", at: Self.now), guests.redeem(early.word, at: Self.now.adding(seconds: 119)),
      guests.redeem(early.word, at: Self.now), guests.redeem(late.word, at: Self.now.adding(seconds: 120)),
      guests.redeem(late.word, at: Self.now),
    ]
    #expect(tries == [false, true, false, false, false])
  }

  @Test("a session is identified by its cookie and expires")
  func session() {
    var guests = ConsoleSessions()
    let (one, other) = (guests.enter(at: Self.now), guests.enter(at: Self.now))
    #expect(Set([one.cookie, one.formToken, other.cookie, other.formToken]).count == 4)
    #expect(guests.session(one.cookie, at: Self.now)?.id == one.id)
    for wrong in [nil, "", one.formToken, one.id.text] { #expect(guests.session(wrong, at: Self.now) == nil) }
    #expect(guests.session(one.cookie, at: one.end) == nil)
    guests.leave(one)
    #expect(guests.session(one.cookie, at: Self.now) == nil)
    #expect(guests.session(other.cookie, at: Self.now)?.id == other.id)
  }

  @Test("each section of the console has its own path")
  func sections() async throws {
    try await TestLoop.run {
      let paths = ConsoleSection.all.map(\.path)
      #expect(Set(paths).count == paths.count)
      for section in ConsoleSection.all {
        #expect(section.routes.contains { $0.method == "GET" && $0.pattern == section.path })
        #expect(section.routes.allSatisfy { $0.pattern.hasPrefix(ConsoleSection.base + "/") })
      }
    }
  }
}
