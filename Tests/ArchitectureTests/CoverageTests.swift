import Testing

@Suite("Coverage of the native SDK")
struct CoverageTests {
  private static let interface = InterfaceDocument()

  private static func table() throws -> CoverageTable { try CoverageTable(page: "CoverageOfTheNativeSDK") }

  @Test("every method, member, command, key, error and test in the tables exists")
  func rows() throws {
    let table = try Self.table()
    #expect(table.faults.isEmpty)
    #expect(table.rows.count > 150)
    let faults = table.rows.flatMap(\.faults)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test("the tables have every name of the native SDK once and no other")
  func names() throws {
    let listed = NativeName.list(try Repository.text("Tests/Fixtures/native-sdk-names.txt"))
    let named = try Self.table().rows.flatMap(\.names)
    #expect(listed.count > 250 && Set(listed).count == listed.count)
    let missing = Set(listed).subtracting(named)
    #expect(missing.isEmpty, "missing: \(missing.map(\.description).sorted().joined(separator: "\n"))")
    let unknown = Set(named).subtracting(listed)
    #expect(unknown.isEmpty, "unknown: \(unknown.map(\.description).sorted().joined(separator: "\n"))")
    let twice = Dictionary(grouping: named) { $0 }.filter { $0.value.count > 1 }.keys
    #expect(twice.isEmpty, "twice: \(twice)")
  }

  @Test("each error of the native SDK has the same code and name here")
  func errors() throws {
    let rows = try Self.table().rows.filter { $0.section == "Error codes" }
    var codes: Set<Int> = []
    for row in rows {
      for span in row.here.codeSpans {
        let words = span.split(separator: " ").map(String.init)
        guard words.count == 2, let code = Int(words[0]) else { continue }
        codes.insert(code)
        let android = row.names.filter { $0.platform == .Android }.map(\.text)
        #expect(android.contains(words[1]), "\(span)")
        #expect(row.here.contains("nothing, because") == Self.interface.isReserved(words[1]), "\(span)")
      }
    }
    #expect(codes == Set(10000...10024))
  }

  /// Methods that the interface defines as counterparts of native SDK methods.
  private static let counterparts = [
    "authentication.start": "authenticate", "device.configure": "configure", "device.info": "getInfo",
    "device.removeLocalData": "removePingOneLocalData", "device.sendLogs": "sendLogs",
    "device.setKeepOnReinstall": "setDevicePairedAfterReinstall",
    "device.setPushAllowed": "allowPushNotifications", "device.setPushToken": "setDeviceToken",
    "device.testPush": "testRemoteNotification", "notification.act": "processRemoteNotificationAction",
    "notification.approve": "approve", "notification.categories": "getUNNotificationCategories",
    "notification.deny": "deny", "notification.process": "processRemoteNotification",
    "pairing.approve": "approve", "pairing.pair": "pair", "pairing.processIdToken": "processIdToken",
    "passcode.get": "getOneTimePasscode", "payload.generate": "generateMobilePayload",
  ]

  @Test("each counterpart method is in the row of its native SDK method")
  func methods() throws {
    let rows = try Self.table().rows
    for (method, native) in Self.counterparts {
      let stands = rows.contains { row in
        row.here.codeSpans.contains(method) && row.names.contains { $0.text.hasPrefix("\(native)(") }
      }
      #expect(stands, "\(method) beside \(native)")
    }
  }

  @Test(
    "a row with a name or test that does not exist is reported",
    arguments: [
      ("`pairing.unpair`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`passcode.get → validFor`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`passcode.get(number)`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`notification.deny(reason = SPITE)`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      (
        "`notification.get → notification.type = none`",
        "`test_pairing.py::test_a_pairing_key_pairs_its_user`"
      ),
      ("`10005 PAIRING`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`10099 PAIRING_KEY`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`authctl forget`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`authctl deny --spite`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`mfad.conf geography`", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("something", "`test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`pairing.pair`", "`test_pairing.py::test_a_key_works`"),
      ("`pairing.pair`", "`test_pair.py::test_a_pairing_key_pairs_its_user`"),
      ("`pairing.pair`", "`HostileTests/test_pairing.py::test_a_pairing_key_pairs_its_user`"),
      ("`pairing.pair`", "`test_pairing.py`"),
      ("`pairing.pair`", "`Programs/SandboxTests/PairingTests.swift::refusedKeys`"),
      ("`pairing.pair`", "by hand"),
      ("`pairing.pair`", "–"),
    ]
  )
  func judgement(here: String, proof: String) throws {
    func table(_ here: String, _ proof: String) -> CoverageTable {
      CoverageTable("## PingOne\n\n| iOS | here | proven by |\n|---|---|---|\n| `x` | \(here) | \(proof) |\n")
    }
    let sound = table(
      "`notification.deny(reason = REPORT_FRAUD)`, `authctl deny --report-fraud`, `10005 PAIRING_KEY`, "
        + "`account.list → accounts.user.name.given`, `mfad.conf geo`",
      "`test_pairing.py::test_a_pairing_key_pairs_its_user`"
    )
    #expect(try #require(sound.rows.first?.faults) == [])
    #expect(try #require(table(here, proof).rows.first?.faults) != [])
    #expect(!CoverageTable("| iOS | here | proven by |\n|---|---|---|\n| `x` | `y` |\n").faults.isEmpty)
  }
}
