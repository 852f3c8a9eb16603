import Fixtures
import JSON
import OATHExports
import Testing

@Suite("Mechanisms of PingAM's authenticators")
struct AMExportTests {
  private static func entry(_ mechanism: JSON, account: JSON?) throws -> ExportedEntry {
    var mechanism = try #require(mechanism.object)
    mechanism["account"] = account
    let text = JSON.object(["mechanisms": [.object(mechanism)], "metadata": ["totalMechanisms": 1]]).text
    guard case .plain(let entries) = try Export(Array(text.utf8)).contents, let entry = entries.first else {
      throw Fixtures.Failure.unexpected(text)
    }
    return entry
  }

  private static func skip(_ entry: ExportedEntry) -> ExportedEntry.Skip? {
    if case .failure(let skip) = entry.record { skip } else { nil }
  }

  @Test("what moves from one client to the next comes over here, with its algorithm")
  func migration() throws {
    let cases = try #require(try Fixtures.json("oath/storage_json.json")["migration"]?.array)
    #expect(cases.count == 4)
    for one in cases {
      let entry = try Self.entry(try #require(one["legacy"]), account: one["account"])
      switch one["name"]?.string {
      case "push": #expect(Self.skip(entry) == .unsupported)
      case "orphan": #expect(Self.skip(entry) == .invalid)
      case let name:
        let record = try entry.record.get()
        // Others make SHA1 of what they do not know, and so other passcodes.
        #expect(record.algorithm == (name == "totp" ? "SHA1" : "SHA224"))
        let expected = try #require(one["legacy"])
        #expect(
          record.issuer == expected["issuer"]?.string && record.label == expected["accountName"]?.string
        )
        #expect(record.secret == expected["secret"]?.string && record.period == 30 && record.digits == 6)
      }
      #expect(entry.issuer == "issuer1" && entry.label == "user1")
    }
  }

  @Test("stored mechanisms are read by their kind, and a locked account stays locked")
  func stored() throws {
    let document = try Fixtures.json("oath/storage_json.json")
    let legacy = try #require(document["legacy"]?.array)
    let account = try #require(legacy.first { $0["kind"] == "account" }?["json"]?.object)
    var locked = account
    locked["lock"] = true
    for kind in ["totp", "hotp"] {
      let mechanism = try #require(legacy.first { $0["kind"]?.string == kind }?["json"])
      let record = try Self.entry(mechanism, account: .object(account)).record.get()
      #expect(record.type.rawValue == kind && record.counter == (kind == "hotp" ? 0 : nil))
      #expect(Self.skip(try Self.entry(mechanism, account: .object(locked))) == .unsupported)
    }
    let unknown = try #require(document["reject"]?.array?.first?["json"])
    #expect(Self.skip(try Self.entry(unknown, account: .object(account))) == .unsupported)
  }
}
