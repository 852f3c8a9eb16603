internal import JSON
internal import Text

/// One callback of a journey step, as received from the server.
struct Callback: Sendable {
  /// One element of `input`, which receives a value.
  struct Input: Sendable {
    let name: String?
    let value: JSON
  }

  /// Index in the step.
  let index: Int
  /// The callback type; empty if it has none.
  let type: String
  /// The elements of `output`.
  let outputs: [(name: String, value: JSON)]
  /// The elements of `input`.
  let inputs: [Input]
  /// Data that the answer needs in addition to the user's input.
  let context: JourneyContext

  private let object: JSONObject

  /// Reads a callback; throws if the JSON is not an object.
  init(_ json: JSON, at index: Int, _ context: JourneyContext) throws(SignOnFailure) {
    guard let object = json.object else { throw .malformed }
    (self.index, self.object, self.context) = (index, object, context)
    type = object["type"]?.string ?? ""
    outputs = (object["output"]?.array ?? []).compactMap { element in
      guard let name = element["name"]?.string, let value = element["value"] else { return nil }
      return (name, value)
    }
    inputs = (object["input"]?.array ?? []).map {
      Input(name: $0["name"]?.string, value: $0["value"] ?? .null)
    }
  }

  /// Returns the value of an output.
  func output(_ name: String) -> JSON? { outputs.first { $0.name == name }?.value }

  /// Returns the index of the input with this name suffix; prefixes and order differ between servers.
  func input(endingWith suffix: String) -> Int? {
    inputs.firstIndex { $0.name?.hasSuffix(suffix) == true }
  }

  /// Index of the first input, which receives the main value of the callback; `nil` without inputs.
  var mainInput: Int? { inputs.isEmpty ? nil : 0 }

  /// Returns the callback with these values in its inputs, by index, and otherwise unchanged.
  func filled(_ values: [Int: JSON]) -> JSON {
    guard !values.isEmpty, var elements = object["input"]?.array else { return .object(object) }
    for (place, value) in values where elements.indices.contains(place) {
      guard var element = elements[place].object else { continue }
      element["value"] = value
      elements[place] = .object(element)
    }
    var object = object
    object["input"] = .array(elements)
    return .object(object)
  }
}

// MARK: Display

extension Callback {
  /// Returns an output as one line of text; `nil` if it is missing or empty.
  func text(_ name: String) -> String? {
    guard let text = output(name)?.string, !text.isEmpty else { return nil }
    return Self.line(text)
  }

  /// Returns external text as one line, cleaned for display.
  static func line(_ text: String, maximum: Int = DisplayText.bodyLength) -> String {
    DisplayText.line(text, maximum: maximum)
  }

  /// The callback as received; `nil` if it is too long to be passed on.
  var raw: JSON? { JSON.object(object).bounded }

  private static let mostMembers = 64

  /// The callback; if it is too long to be passed on, without its long members.
  var shortenedRaw: JSON {
    if let raw { return raw }
    let rest = object.members.prefix(Self.mostMembers).filter {
      $0.value.bounded?.serialized.count ?? .max <= 1024
    }
    return JSON.object(JSONObject(rest.map { ($0.name, $0.value) })).bounded ?? [:]
  }
}

/// Data that the answers to a step's callbacks need in addition to the user's input.
struct JourneyContext: Sendable {
  /// Data about this machine, for journeys that request it.
  var device = DeviceProfile()
  /// True if a browser may be sent to this machine over plain HTTP.
  var allowsLoopbackHTTP = false
  /// Name of the server as shown to users.
  var server = ""
  /// Keys of this machine for the server, newest first; empty if the step requests no signature.
  var keys: [BoundKey] = []
  /// True if this machine has a method to verify the user's presence.
  var verifiesPresence = false
  /// Answers to hidden-value callbacks, by identifier; they report outcomes of the step's metadata callbacks.
  var outcomes: [String: String] = [:]
}
