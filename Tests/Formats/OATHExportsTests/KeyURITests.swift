import JSON
import OATHExports
import Testing

@Suite("Key URIs")
struct KeyURITests {
  private static let secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

  private static let markup = OATHError.invalid("an unescaped <, > or control")

  private static func error(_ uri: String) -> OATHError? {
    do throws(OATHError) { _ = try OATHRecord(uri: uri) } catch { return error }
    return nil
  }

  @Test("every parameter of a key URI is read")
  func whole() throws {
    let uri =
      "OTPAUTH://TOTP/Acme%20Co:ann%40example.com?period=60&digits=8&algorithm=sha512&issuer=Acme%20Co"
    let record = try OATHRecord(uri: "\(uri)&secret=\(Self.secret)&image=&b=032b75&unknown=1")
    let expected = OATHRecord(
      type: .totp,
      secret: Self.secret,
      algorithm: "SHA512",
      digits: 8,
      period: 60,
      issuer: "Acme Co",
      label: "ann@example.com"
    )
    #expect(record == expected)
  }

  @Test("missing parameters are nil, and parameters of another type are ignored")
  func least() throws {
    let record = try OATHRecord(uri: "otpauth://hotp/Acme:ann?secret=\(Self.secret)&period=x&digits=")
    #expect(record.counter == nil && record.period == nil && record.digits == nil && record.algorithm == nil)
    #expect(try OATHRecord(uri: "otpauth://totp/Acme:ann?secret=\(Self.secret)&counter=x").counter == nil)
  }

  @Test(
    "issuer and account come from label and issuer parameter",
    arguments: [
      ("Acme:ann", nil, "Acme", "ann"), ("Acme:ann", "Acme", "Acme", "ann"),
      ("Acme:ann", "Other", "Other", "ann"),
      ("ann", "Acme", "Acme", "ann"), ("ann", nil, "ann", "ann"), ("", "Acme", "Acme", "Untitled"),
      ("Acme:", nil, "Acme", "Untitled"), (":ann", nil, "ann", "ann"), ("Acme%3Aann", nil, "Acme", "ann"),
      ("Acme:%20ann%20", nil, "Acme", "ann"), ("Acme:ann:smith", nil, "Acme", "ann:smith"),
      ("A%3AB:ann", "A%3AB", "A:B", "ann"), ("Air%20Co:ann", "Air+Co", "Air Co", "ann"),
      ("Air+Co:ann", "Air+Co", "Air+Co", "ann"), ("C++:ann", nil, "C++", "ann"), ("ann", "A+B", "A+B", "ann"),
      ("team/Acme:ann/1", nil, "team/Acme", "ann/1"), ("S%C3%B6hne:ann", nil, "Söhne", "ann"),
      ("Acme:ann", "", "Acme", "ann"), ("Acme:ann", "%20", "Acme", "ann"),
      ("", nil, "Untitled", "Untitled"), ("%20", nil, "Untitled", "Untitled"),
      (":", nil, "Untitled", "Untitled"),
      ("Acme Two:ann", "Acme Two", "Acme Two", "ann"), ("Müller:jürgen", "Müller", "Müller", "jürgen"),
      ("Acme:ann#1", "Acme", "Acme", "ann#1"), ("%3Cb%3E:\u{A0}ann", nil, "<b>", "ann"),
      ("Acme:acme:ann", "Acme", "Acme", "ann"), ("Acme:Acme", "Acme", "Acme", "Acme"),
    ] as [(String, String?, String, String)]
  )
  func names(label: String, parameter: String?, issuer: String, account: String) throws {
    let parameter = parameter.map { "&issuer=\($0)" } ?? ""
    let record = try OATHRecord(uri: "otpauth://totp/\(label)?secret=\(Self.secret)\(parameter)")
    #expect(record.issuer == issuer && record.label == account)
  }

  @Test(
    "a parameter after an escaped ampersand, in upper case or after a space is read",
    arguments: [
      "&amp;digits=8&amp;period=60&amp;algorithm=SHA256",
      "&amp;amp;digits=8&AMP;period=60&amp;algorithm=SHA256",
      "&Digits=8&PERIOD=60&Algorithm=SHA256", "& digits=8&%70eriod=60&\talgorithm=SHA256",
    ]
  )
  func spellings(parameters: String) throws {
    let record = try OATHRecord(
      uri: "otpauth://totp/Opn:fw?secret=\(Self.secret)&amp;issuer=Opn\(parameters)"
    )
    #expect(
      record.digits == 8 && record.period == 60 && record.algorithm == "SHA256" && record.issuer == "Opn"
    )
  }

  @Test(
    "white space and a byte order mark around a URI are ignored",
    arguments: [("", "\n"), (" ", "\r\n"), ("\u{FEFF}", "\t"), ("\u{2028}", "\u{A0}")]
  )
  func margins(before: String, after: String) throws {
    let uri = "\(before)otpauth://totp/A:b?secret=\(Self.secret)\(after)"
    #expect(try OATHRecord(uri: uri).secret == Self.secret)
  }

  @Test(
    "a malformed parameter is refused with its name",
    arguments: [
      ("totp/A:b", OATHError.missing("secret")), ("totp/A:b?secret=", .missing("secret")),
      ("steam/A:b?secret=S", .unsupportedType), ("/A:b?secret=S", .unsupportedType),
      ("totp/A:b?secret=S&digits=six", .invalid("digits")),
      ("totp/A:b?secret=S&digits=+6", .invalid("digits")),
      ("totp/A:b?secret=S&digits=%206", .invalid("digits")),
      ("totp/A:b?secret=S&digits=6.0", .invalid("digits")),
      ("totp/A:b?secret=S&digits=0x6", .invalid("digits")),
      ("totp/A:b?secret=S&period=-30", .invalid("period")),
      ("totp/A:b?secret=S&period=99999999999999999999", .invalid("period")),
      ("totp/A:b?secret=S&digits=%D9%A6", .invalid("digits")),
      ("hotp/A:b?secret=S&counter=1e3", .invalid("counter")), ("totp/A:b?secret=%ZZ", .invalid("secret")),
      ("totp/A:b?secret=%FF", .invalid("secret")), ("totp/A:b?secret=S&issuer=%C3", .invalid("issuer")),
      ("totp/A:b?secret=S&secret=S", .repeated("secret")),
      ("totp/A:b?secret=S&digits=6&digits=6", .repeated("digits")),
      ("totp/A:b?secret=S&issuer=&issuer=A", .repeated("issuer")),
      ("totp/A:b?S=1&S=2", .repeated("a parameter")), ("totp/A:b?JBSWY3DP=%ZZ", .invalid("a parameter")),
      ("totp/A%ZZ:b?secret=S", .invalid("label")), ("totp/A%:b?secret=S", .invalid("label")),
      ("totp/A:b?secret=S#fragment", .invalid("the fragment after #")),
      ("totp/A:b?secret=S&#38;digits=8", .invalid("the fragment after #")),
      ("totp/A:b\u{0}?secret=S", markup), ("totp/A:b\u{1B}?secret=S", markup),
      ("totp/<b>:b?secret=S", markup), ("totp/A:b?secret=S&issuer=\u{202E}A", markup),
      (
        "totp/A:b?secret=S&encoder=steam",
        .unsupported("encoder", allowed: "absent, because passcodes consist of digits")
      ),
      ("totp/A:b?secret=S&Digits=six", .invalid("digits")),
      ("totp/A:b?secret=S&SECRET=S", .repeated("secret")),
      ("totp/A:b?secret=S&digits=6&amp;digits=8", .repeated("digits")),
    ]
  )
  func refused(rest: String, error: OATHError) {
    #expect(Self.error("otpauth://" + rest) == error)
    #expect(!error.description.contains("JBSWY3DP"))
  }

  @Test(
    "a text that is not an otpauth URI is refused",
    arguments: [
      "", "otpauth", "otpauth:", "otpauth:/totp/a?secret=S", "otpauth//totp/a?secret=S", "totp://otpauth/a",
      "https://totp/a?secret=S", "otpauth-migration://offline?data=",
      "javascript:alert(1)//totp/a?secret=S", "pushauth://push/a:b?secret=S", "mfauth://totp/a:b?secret=S",
    ]
  )
  func others(uri: String) {
    #expect(Self.error(uri) == .notAKeyURI)
  }

  @Test("a URI of more than 8 KiB is refused")
  func length() throws {
    let start = "otpauth://totp/A:b?secret=\(Self.secret)&image="
    let longest = start + String(repeating: "a", count: 8192 - start.count)
    #expect(try OATHRecord(uri: longest).label == "b")
    #expect(Self.error(longest + "a") == .tooLong(maximum: 8192))
  }

  @Test("pushauth and mfauth URIs give parameters; mfauth also gives an OATH record")
  func enrolments() throws {
    let query = "l=YW1s&issuer=QWNtZQ&m=REGISTER:1&s=AAEC&policies=e30&r=aHR0cHM6Ly9hLw&empty="
    let push = try KeyURI("pushauth://push/Acme:bob?\(query)")
    #expect(push.scheme == .pushauth && push.type == "push" && push.label == "Acme:bob")
    #expect(push["m"] == "REGISTER:1" && push["s"] == "AAEC" && push["empty"] == nil && push["c"] == nil)
    #expect(throws: OATHError.unsupportedType) { try push.record() }
    let both = try KeyURI("mfauth://totp/Acme:bob?\(query)&secret=\(Self.secret)&uid=Ym9i+/==")
    #expect(try both.record(named: both.names(issuer: "Acme")).issuer == "Acme")
    #expect(both["uid"] == "Ym9i+/==")
  }

  @Test("the URI of a record parses to the same record")
  func writing() throws {
    let names = [
      ("Acme", "ann"), ("A:B & C=D?", "ann:smith/%41#+"), ("Söhne 1", "ÄÖ"), ("A", "A"), ("C++", "x"),
    ]
    for (issuer, label) in names {
      for kind in [OATHRecord.Kind.totp, .hotp] {
        let record = OATHRecord(
          type: kind,
          secret: Self.secret,
          algorithm: "SHA256",
          digits: 7,
          period: kind == .totp ? 45 : nil,
          counter: kind == .hotp ? 1 << 53 : nil,
          issuer: issuer,
          label: label
        )
        #expect(try OATHRecord(uri: record.uri) == record)
      }
    }
    let uri = "otpauth://totp/A:b?secret=\(Self.secret)&policies=e30="
    let policed = try OATHRecord(uri: uri)
    #expect(policed.policies == "{}")
    #expect(try OATHRecord(uri: policed.uri) == policed)
    let grouped = OATHRecord(type: .totp, secret: "jbsw y3dp-ehpk 3pxp======", issuer: "A", label: nil)
    #expect(grouped.uri == "otpauth://totp/A:Untitled?secret=jbswy3dpehpk3pxp&issuer=A")
  }

  @Test("a record does not print its secret")
  func printing() throws {
    let record = try OATHRecord(uri: "otpauth://totp/A:b?secret=\(Self.secret)")
    var text = "\(record) \(String(reflecting: record))"
    dump(record, to: &text)
    #expect(!text.contains(Self.secret))
  }
}
