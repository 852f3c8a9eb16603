import OATHExports
import Testing

@Suite("Exports")
struct ExportTests {
  private static let secret = "JBSWY3DPEHPK3PXP"

  private static func read(_ text: String, as format: ExportFormat? = nil) throws -> [ExportedEntry] {
    guard case .plain(let entries) = try Export(Array(text.utf8), as: format).contents else {
      throw ExportError.unsupportedEncryption
    }
    return entries
  }

  /// Returns issuer and label of each record, or the reason for skipping the entry.
  private static func outcomes(_ text: String, as format: ExportFormat? = nil) throws -> [String] {
    try read(text, as: format).map { entry in
      switch entry.record {
      case .success(let record): "\(record.issuer)/\(record.label)"
      case .failure(let error): ExportedEntry.Skip(error).rawValue
      }
    }
  }

  @Test("a URI list gives one entry per line without blank lines")
  func uris() throws {
    let text = """

        otpauth://totp/A:one?secret=\(Self.secret)\r
      otpauth://steam/Steam:two?secret=\(Self.secret)

      otpauth://totp/A:three
      pushauth://push/A:four?s=AAEC
      nonsense
      otpauth://hotp/A:five?secret=\(Self.secret)&counter=3
      """
    #expect(try Self.outcomes(text) == ["A/one", "unsupported", "invalid", "invalid", "invalid", "A/five"])
    let entries = try Self.read(text)
    #expect(entries.map(\.index) == Array(0..<6))
    let issuers = entries.map(\.names.issuer)
    #expect(issuers == ["A", "Steam", "A", "A", nil, "A"])
    #expect(entries.map(\.names.account) == ["one", "two", "three", "four", nil, "five"])
  }

  @Test("missing members get defaults, wrong ones make the Aegis entry invalid")
  func entries() throws {
    func aegis(_ entry: String) -> String {
      #"{"version":1,"header":{"slots":null,"params":null},"db":{"version":3,"entries":["# + entry + "]}}"
    }
    let info = #""info":{"secret":"\#(Self.secret)"}"#
    for (entry, outcome) in [
      (#"{"type":"totp","name":"n","issuer":"i",\#(info)}"#, "i/n"),
      (#"{"type":"TOTP","name":"n","issuer":null,\#(info)}"#, "n/n"),
      (#"{"type":"totp","name":"","issuer":"i",\#(info)}"#, "i/Untitled"),
      (#"{"type":"totp","name":"i:n","issuer":"",\#(info)}"#, "i/n"),
      (#"{"type":"totp","name":"a:n","issuer":"i",\#(info)}"#, "i/a:n"),
      (#"{"type":"totp","name":" ","issuer":"",\#(info)}"#, "Untitled/Untitled"),
      (#"{"type":"totp",\#(info)}"#, "Untitled/Untitled"),
      (#"{"type":"totp","name":1,"issuer":"i",\#(info)}"#, "invalid"),
      (#"{"type":["totp"],"name":"n",\#(info)}"#, "invalid"), (#"{"name":"n",\#(info)}"#, "invalid"),
      (#"{"type":"motp","name":"n",\#(info)}"#, "unsupported"),
      (#"{"type":"yandex","name":"n",\#(info)}"#, "unsupported"),
      (#"{"type":"totp","name":"n","info":{}}"#, "invalid"), (#"{"type":"totp","name":"n"}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":[]}"#, "invalid"), ("[]", "invalid"), ("null", "invalid"),
      ("1", "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":7}}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":"S","digits":"6"}}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":"S","digits":6.5}}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":"S","period":1e2}}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":"S","period":99999999999999999999}}"#, "invalid"),
      (#"{"type":"totp","name":"n","info":{"secret":"S","counter":"x"}}"#, "n/n"),
      (#"{"type":"hotp","name":"n","info":{"secret":"S","counter":true}}"#, "invalid"),
    ] {
      #expect(try Self.outcomes(aegis(entry)) == [outcome], "\(entry)")
    }
  }

  @Test("Bitwarden items give entries for bare secrets and otpauth URIs only")
  func bitwarden() throws {
    func login(_ name: String, _ totp: String) -> String {
      #"{"name":"\#(name)","login":{"username":"ann","totp":\#(totp)}}"#
    }
    let items = [
      login("bare", "\"jbsw y3dp ehpk 3pxp\""), login("steam", "\"steam://\(Self.secret)\""),
      login("uri", "\"otpauth://totp/A:b?secret=\(Self.secret)\""), login("empty", "\"\""),
      login("none", "null"),
      login("number", "7"), #"{"name":"card"}"#, #"{"name":"login","login":null}"#, "7",
    ]
    let text = #"{"encrypted":false,"items":["# + items.joined(separator: ",") + "]}"
    #expect(try Self.outcomes(text) == ["bare/ann", "unsupported", "A/b", "invalid"])
    for encrypted in [
      #"{"encrypted":true,"passwordProtected":true,"data":"x"}"#, #"{"encrypted":true,"items":[]}"#,
    ] {
      #expect(throws: ExportError.unsupportedEncryption) { try Self.read(encrypted) }
    }
  }

  @Test("a Bitwarden CSV table is read, and a malformed one refused")
  func bitwardenTable() throws {
    let titles = "folder,name,notes,login_username,login_totp,more\r\n"
    for (rows, outcome) in [
      (",bare,,ann,\(Self.secret),\r\n", ["bare/ann"]), (",bare,,ann,\(Self.secret)", ["bare/ann"]),
      ("\n,none,,ann,\n,short\n,\"a,\n\"\"b\"\"\",\"\",ann,\"\(Self.secret)\",\"x\"\n", ["a,\n\"b\"/ann"]),
      (
        ",u,,,otpauth://totp/A:b?secret=\(Self.secret)\n,s,,ann,steam://\(Self.secret)\n",
        ["A/b", "unsupported"]
      ),
      ("", []), (",x,,ann,!!,\n", ["x/ann"]),
    ] {
      #expect(try Self.outcomes(titles + rows) == outcome, "\(rows)")
    }
    for rows in ["\"open", "a\"b,c", "\"a\"b,c", "a\rb", ",,\"a\" ,"] {
      #expect(throws: ExportError.malformed, "\(rows)") { try Self.read(titles + rows) }
    }
    #expect(throws: ExportError.malformed) { try Self.read("name,totp\na,b", as: .bitwarden) }
  }

  @Test("a FreeOTP secret must be an array of signed bytes")
  func freeOTP() throws {
    for (secret, outcome) in [
      ("[-128,127,0,-1]", "I/l"), ("[128]", "invalid"), ("[-129]", "invalid"), ("[1.5]", "invalid"),
      (#"["1"]"#, "invalid"), (#""QUJD""#, "invalid"), ("null", "invalid"),
    ] {
      let token = #"{"type":"TOTP","label":"l","issuerExt":"I","issuerInt":"","secret":\#(secret)}"#
      #expect(try Self.outcomes(#"{"tokenOrder":[],"tokens":[\#(token)]}"#) == [outcome], "\(secret)")
    }
    let token = #"{"type":"HOTP","label":"l","counter":9,"secret":[-128,127,0,-1]}"#
    let entry = try #require(try Self.read(#"{"tokenOrder":[],"tokens":[\#(token)]}"#).first)
    let record = try entry.record.get()
    #expect(Base32.decode(record.secret) == [0x80, 0x7F, 0, 0xFF] && record.counter == 9)
  }

  @Test("2FAS services of old and new versions get issuer and label")
  func twoFAS() throws {
    let otps = [
      #"{"account":"ann","issuer":"A"}"#, #"{"account":"","label":"A:ann","issuer":""}"#, "{}",
      #"{"tokenType":"STEAM","account":"ann"}"#, #"{"tokenType":"HOTP","account":"ann","counter":5}"#, "null",
    ]
    let services = otps.map { #"{"name":"Name","secret":"\#(Self.secret)","otp":\#($0)}"# }
    let text = #"{"schemaVersion":1,"services":[\#(services.joined(separator: ","))]}"#
    let outcomes = ["A/ann", "Name/A:ann", "Name/Untitled", "unsupported", "Name/ann", "Name/Untitled"]
    #expect(try Self.outcomes(text) == outcomes)
  }

  @Test("each format removes the issuer in front of a label, and imports entries without names")
  func names() throws {
    let secret = #""secret":"\#(Self.secret)""#
    func texts(_ issuer: String, _ label: String) -> [String] {
      [
        #"{"version":1,"header":{},"db":{"entries":[{"type":"totp","issuer":"\#(issuer)","name":"\#(label)","info":{\#(secret)}}]}}"#,
        #"[{"type":"TOTP","issuer":"\#(issuer)","label":"\#(label)",\#(secret)}]"#,
        #"{"tokenOrder":[],"tokens":[{"type":"TOTP","issuerExt":"\#(issuer)","label":"\#(label)","secret":[1]}]}"#,
        #"{"schemaVersion":4,"services":[{"name":"\#(issuer)","otp":{"label":"\#(label)"},\#(secret)}]}"#,
        #"[{"mechanismUID":"m","type":"otpauth","oathType":"totp","issuer":"\#(issuer)","accountName":"\#(label)",\#(secret)}]"#,
        #"{"encrypted":false,"items":[{"name":"\#(issuer)","login":{"username":"\#(label)","totp":"\#(Self.secret)"}}]}"#,
      ]
    }
    for (issuer, label, names) in [
      ("Acme", "Acme:ann", "Acme/ann"), ("Acme", "ACME: ann", "Acme/ann"), ("", "", "Untitled/Untitled"),
    ] {
      for text in texts(issuer, label) { #expect(try Self.outcomes(text) == [names], "\(text)") }
    }
  }

  @Test("a Bitwarden item names its URI if the URI has no names, and its secret may contain line breaks")
  func bitwardenNames() throws {
    func item(_ totp: String) -> String {
      #"{"encrypted":false,"items":[{"name":"Acme","login":{"username":"ann","totp":"\#(totp)"}}]}"#
    }
    let secret = "secret=\(Self.secret)"
    for (totp, names) in [
      ("otpauth://totp/?\(secret)", "Acme/ann"), (#"\n otpauth://totp/b?\#(secret)"#, "Acme/b"),
      ("otpauth://totp/My Site:b@x.test?\(secret)&issuer=My Site", "My Site/b@x.test"),
      ("otpauth://totp/?\(secret)&issuer=I", "I/ann"), (#"JBSWY3DP\nEHPK3PXP\t"#, "Acme/ann"),
    ] {
      #expect(try Self.outcomes(item(totp)) == [names], "\(totp)")
    }
    for totp in ["otpauth://totp/?secret=%ZZ", "steam://\(Self.secret)"] {
      let names = try Self.read(item(totp)).map(\.names)
      #expect(names == [AccountNames(issuer: "Acme", label: "ann")], "\(totp)")
    }
  }

  @Test("a byte order mark is ignored in each text format, and UTF-16 is converted")
  func marks() throws {
    let mark = "\u{FEFF}"
    for text in [
      "otpauth://totp/A:b?secret=\(Self.secret)\n\(mark)otpauth://totp/A:b?secret=\(Self.secret)",
      #"[{"type":"TOTP","issuer":"A","label":"b","secret":"\#(Self.secret)"}]"#,
      "\"name\",\"login_username\",\"login_totp\"\nA,b,\(Self.secret)",
    ] {
      #expect(try Set(Self.outcomes(mark + text)) == ["A/b"])
      for isLittle in [true, false] {
        let bytes = (mark + text).utf16.flatMap { unit -> [UInt8] in
          let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
          return isLittle ? [low, high] : [high, low]
        }
        guard case .plain(let entries) = try Export(bytes).contents else { continue }
        #expect(Set(entries.map(\.names)) == [AccountNames(issuer: "A", label: "b")])
      }
    }
  }

  @Test("data with markers of no format or of several is unknown")
  func unknown() {
    for text in [
      "", " \n", "[]", "{}", "hello", "7", "[7]", #"{"items":[]}"#, #"{"services":[]}"#, #"{"tokens":[]}"#,
      #"{"header":{},"db":{},"version":1,"mechanisms":[]}"#,
      #"{"tokens":[],"tokenOrder":[],"encrypted":false}"#,
      "otpauth:totp", "xotpauth://totp/a",
    ] {
      #expect(throws: ExportError.unknownFormat, "\(text)") { try Export(Array(text.utf8)) }
    }
    for bytes in [
      [0], [0xFF], [0x1F, 0x8B] + [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0, count: 100),
    ] {
      #expect(throws: ExportError.unknownFormat) { try Export(bytes) }
    }
  }
}
