import ControlAPI
import JSON
import JSONRPC
import Testing

@testable import SignOn

/// The values sent for a user's input.
@Suite("answers to fields of a DaVinci page")
struct DaVinciReplyTests {
  /// Returns the form data of a page with one field and the given answer.
  private static func data(_ field: JSON, _ answer: JSON?, values: JSON = [:]) throws -> JSON? {
    let page = try DaVinciPicture.page(field, values: values)
    let data = try page.formData(answer.map { ["k": $0] } ?? [:])
    return data["k"]
  }

  /// Returns the message about an answer to one field, or nil if it is valid.
  private static func complaint(_ field: JSON, _ answer: JSON?) throws -> String? {
    do {
      _ = try data(field, answer)
      return nil
    } catch let problem as DaVinciProblem {
      #expect(problem.fields.map(\.target) == ["k"])
      return problem.fields.first?.message
    }
  }

  private static let phone: JSON = ["type": "PHONE_NUMBER", "key": "k", "showExtension": true]
  private static let choices: JSON = [["label": "Red", "value": "red"], ["label": "Blue", "value": "blue"]]
  private static let dropdown: JSON = [
    "type": "DROPDOWN", "inputType": "SINGLE_SELECT", "key": "k", "options": choices,
  ]
  private static let checkboxes: JSON = [
    "type": "CHECKBOX", "inputType": "MULTI_SELECT", "key": "k", "options": choices,
  ]
  private static let combobox: JSON = [
    "type": "COMBOBOX", "inputType": "MULTI_SELECT", "key": "k", "options": choices,
  ]
  private static let consent: JSON = [
    "type": "SINGLE_CHECKBOX", "inputType": "BOOLEAN", "key": "k", "errorMessage": "Please agree",
  ]
  private static let registration: JSON = [
    "type": "DEVICE_REGISTRATION", "key": "k",
    "options": [["type": "EMAIL", "title": "E-mail"], ["type": "SMS"]],
  ]
  private static let devices: JSON = [
    "type": "DEVICE_AUTHENTICATION", "key": "k",
    "options": [
      ["type": "SMS", "id": "d-81", "title": "Text", "description": "******0123", "iconSrc": "x"],
      ["type": "MOBILE", "id": "d-82", "default": true],
    ],
  ]

  private static func with(_ field: JSON, _ changes: JSONObject) -> JSON {
    var object = field.object ?? [:]
    for member in changes.members { object[member.name] = member.value }
    return .object(object)
  }

  @Test("each kind of field is sent in its format, and may be given as text")
  func forms() throws {
    let text: JSON = ["type": "TEXT", "key": "k"]
    #expect(try Self.data(text, "ann") == "ann")
    #expect(try Self.data(["type": "PASSWORD", "key": "k"], " s3cret! ") == " s3cret! ")
    #expect(try Self.data(["type": "PASSWORD_VERIFY", "key": "k"], "true") == "true")
    let number: JSON = ["countryCode": "GB", "phoneNumber": "7700900123", "extension": "42"]
    #expect(try Self.data(Self.phone, number) == number)
    #expect(try Self.data(Self.phone, .string(number.text)) == number)
    #expect(
      try Self.data(Self.phone, "gb 7700 900123") == ["countryCode": "GB", "phoneNumber": "7700 900123"]
    )
    #expect(try Self.data(Self.checkboxes, ["red", "blue"]) == ["red", "blue"])
    #expect(try Self.data(Self.checkboxes, #"["red"]"#) == ["red"])
    #expect(try Self.data(Self.checkboxes, "blue") == ["blue"])
    #expect(try Self.data(Self.combobox, ["green"]) == ["green"], "a combo box takes what a person writes")
    #expect(try Self.data(Self.dropdown, "red") == "red")
    #expect(try Self.data(Self.consent, true) == true)
    #expect(try Self.data(Self.consent, "true") == true)
    #expect(try Self.data(Self.consent, "false") == false)
    #expect(try Self.data(Self.registration, "EMAIL") == "EMAIL")
    let device: JSON = ["type": "SMS", "id": "d-81", "description": "******0123"]
    #expect(try Self.data(Self.devices, "d-81") == device)
    #expect(try Self.data(Self.devices, device) == device)
    #expect(try Self.data(["type": "METADATA", "key": "k"], ["a": 1]) == ["a": 1])
    #expect(try Self.data(["type": "NOVELTY", "key": "k"], #"{"a":[true]}"#) == ["a": [true]])
    #expect(try Self.data(["type": "NOVELTY", "key": "k"], "0123") == "0123")
  }

  @Test("an empty answer is omitted, but a boolean is always sent")
  func empty() throws {
    for field in [Self.dropdown, Self.checkboxes, Self.combobox, Self.registration, Self.devices, Self.phone]
    {
      #expect(try Self.data(field, "") == nil, "\(field.text)")
    }
    for type: JSON in ["TEXT", "PASSWORD", "PASSWORD_VERIFY", "METADATA", "NOVELTY"] {
      #expect(try Self.data(["type": type, "key": "k"], "") == nil)
      #expect(try Self.data(["type": type, "key": "k"], nil) == nil)
    }
    #expect(try Self.data(Self.checkboxes, []) == nil)
    #expect(try Self.data(Self.phone, ["countryCode": "GB", "phoneNumber": ""]) == nil)
    #expect(try Self.data(Self.consent, nil) == false)
  }

  @Test("initial values are sent unless they are replaced")
  func standing() throws {
    #expect(try Self.data(["type": "TEXT", "key": "k"], nil, values: ["k": "x"]) == "x")
    #expect(try Self.data(["type": "TEXT", "key": "k"], "", values: ["k": "x"]) == nil)
    #expect(try Self.data(["type": "PASSWORD", "key": "k"], nil, values: ["k": "x"]) == "x")
    #expect(try Self.data(Self.dropdown, nil, values: ["k": "red"]) == "red")
    #expect(try Self.data(Self.dropdown, nil, values: ["k": "green"]) == nil)
    #expect(try Self.data(Self.checkboxes, nil, values: ["k": ["red", "green"]]) == ["red"])
    #expect(try Self.data(Self.checkboxes, nil, values: ["k": "blue"]) == ["blue"])
    #expect(try Self.data(Self.consent, nil, values: ["k": true]) == true)
    #expect(try Self.data(Self.consent, nil, values: ["k": "true"]) == true)
    #expect(try Self.data(Self.devices, nil) == ["type": "MOBILE", "id": "d-82"])
    let own: JSON = ["id": "d-81"]
    #expect(try Self.data(Self.devices, nil, values: ["k": own])?["type"] == "SMS")
    let old = Self.with(Self.phone, ["defaultCountryCode": "US"])
    #expect(try Self.data(old, nil, values: ["k": "555"]) == ["countryCode": "US", "phoneNumber": "555"])
    let number: JSON = ["countryCode": "GB", "phoneNumber": "7700900123"]
    #expect(try Self.data(old, nil, values: ["k": number]) == number)
  }

  @Test("missing and malformed values are reported at their field")
  func wrong() throws {
    let missing = "this is needed"
    for field in [Self.dropdown, Self.checkboxes, Self.combobox, Self.registration, Self.phone] {
      #expect(try Self.complaint(Self.with(field, ["required": true]), nil) == missing, "\(field.text)")
    }
    #expect(try Self.complaint(["type": "TEXT", "key": "k", "required": true], "") == missing)
    #expect(try Self.complaint(Self.with(Self.consent, ["required": true]), nil) == "Please agree")
    #expect(try Self.complaint(Self.with(Self.consent, ["required": true]), true) == nil)
    #expect(try Self.complaint(Self.consent, "maybe") == "this has to be yes or no")
    #expect(try Self.complaint(["type": "TEXT", "key": "k"], 1) == "this has to be text")
    #expect(try Self.complaint(["type": "TEXT", "key": "k"], .null) == "this has to be text")
    let none = "this is not one of the options"
    for field in [Self.dropdown, Self.checkboxes, Self.registration, Self.devices] {
      #expect(try Self.complaint(field, "green") == none, "\(field.text)")
    }
    #expect(try Self.complaint(Self.checkboxes, ["red", 1]) == "this has to be text")
    #expect(
      try Self.complaint(Self.phone, ["countryCode": "GB", "phoneNumber": "", "extension": "1"]) == missing
    )
    let country = "this needs the two letters of a country"
    for answer: JSON in [["phoneNumber": "1"], ["countryCode": "G1", "phoneNumber": "1"], "123"] {
      #expect(try Self.complaint(Self.phone, answer) == country, "\(answer.text)")
    }
    let plain = Self.with(Self.phone, ["showExtension": false])
    let number: JSON = ["countryCode": "GB", "phoneNumber": "1", "extension": "2"]
    #expect(try Self.complaint(plain, number) == "this number takes no extension")
    for odd: JSON in [1, [], ["number": "1"], ["phoneNumber": 1]] {
      #expect(try Self.complaint(Self.phone, odd) == "this has to be a country and a number", "\(odd.text)")
    }
  }

  @Test("a text is sent even if it violates its pattern, because the server checks it")
  func patterns() throws {
    for type: JSON in ["TEXT", "PASSWORD", "PASSWORD_VERIFY"] {
      for pattern: JSON in ["^a$", "^(a+)+$", "(", 5] {
        let validation: JSON = ["regex": pattern, "errorMessage": "Must be\u{7} an a"]
        let field: JSON = ["type": type, "key": "k", "validation": validation]
        let shown = try DaVinciPicture.page(field).shown.collectors.first?.validation
        #expect(shown?.pattern == pattern.string && shown?.message == "Must be an a", "\(pattern.text)")
        #expect(try Self.data(field, "b") == "b", "\(pattern.text)")
      }
    }
  }

  @Test("an answer to a field without input is rejected")
  func unknown() throws {
    for type: JSON in ["LABEL", "QR_CODE", "PROTECT", "POLLING", "FIDO2", "SUBMIT_BUTTON", "MOBILE_PAIRING"] {
      #expect(throws: RPCError.invalidParameter("values"), "\(type.text)") {
        try Self.data(["type": type, "key": "k"], "x")
      }
    }
  }

  @Test("a form is left without required values, but given values are still checked")
  func leaving() throws {
    let page = try DaVinciPicture.page(Self.with(Self.dropdown, ["required": true]))
    #expect(try page.partialFormData([:]) == [:])
    #expect(try page.partialFormData(["k": "red"]) == ["k": "red"])
    #expect(throws: DaVinciProblem.self) { try page.partialFormData(["k": "green"]) }
  }

  @Test("a reply names its event and action, and repeats the page's ids")
  func body() throws {
    var json = DaVinciPicture.json(["type": "TEXT", "key": "user.username"])
    (json["id"], json["eventName"]) = ("a1b2c3d4e5", "continue")
    let page = try DaVinciPicture.page(of: json)
    let reply = DaVinciReply(event: .submit, actionKey: "submit", formData: ["user.username": "ann"])
    #expect(
      reply.body(to: page.target, interaction: "7f0a") == [
        "id": "a1b2c3d4e5", "eventName": "continue", "interactionId": "7f0a",
        "parameters": [
          "eventType": "submit", "data": ["actionKey": "submit", "formData": ["user.username": "ann"]],
        ],
      ]
    )
    let bare = try DaVinciPicture.page(["type": "TEXT", "key": "k"])
    #expect(
      DaVinciReply(event: .polling).body(to: bare.target, interaction: nil)
        == ["eventName": "continue", "parameters": ["eventType": "polling", "data": ["formData": [:]]]]
    )
  }
}
