internal import JSON
internal import Text

/// One callback of a step of a journey, as the server sent it.
struct Callback: Sendable {
  /// One element of `input`, which a value is written to.
  struct Input: Sendable {
    let name: String?
    let value: JSON
  }

  /// Its place in the step.
  let index: Int
  /// Its own name; empty if it has none.
  let type: String
  /// What it tells, by name.
  let outputs: [(name: String, value: JSON)]
  /// What it wants to be told.
  let inputs: [Input]
  /// What it is answered with besides what a person says.
  let context: JourneyContext

  private let object: JSONObject

  /// Reads a callback; what is no object is none.
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

  /// What it tells under a name.
  func output(_ name: String) -> JSON? { outputs.first { $0.name == name }?.value }

  /// The place of the input whose name ends so; servers number inputs, and their order differs.
  func input(endingWith suffix: String) -> Int? {
    inputs.firstIndex { $0.name?.hasSuffix(suffix) == true }
  }

  /// The place of the input that takes the value itself, which comes before those with suffixes.
  var mainInput: Int? { inputs.isEmpty ? nil : 0 }

  /// The callback with other values in its inputs, by their places; everything else as it came.
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

// MARK: What is shown of it

extension Callback {
  /// A text of one line that it tells; `nil` without any.
  func text(_ name: String) -> String? {
    guard let text = output(name)?.string, !text.isEmpty else { return nil }
    return Self.line(text)
  }

  /// A text from outside as one line, made fit to be shown.
  static func line(_ text: String, maximum: Int = DisplayText.bodyLength) -> String {
    DisplayText.line(text, maximum: maximum)
  }

  /// The callback itself, as far as it may be handed on.
  var raw: JSON? { JSON.object(object).bounded }

  private static let mostMembers = 64

  /// The callback itself with whatever is too long to be handed on left out.
  var shortenedRaw: JSON {
    if let raw { return raw }
    let rest = object.members.prefix(Self.mostMembers).filter {
      $0.value.bounded?.serialized.count ?? .max <= 1024
    }
    return JSON.object(JSONObject(rest.map { ($0.name, $0.value) })).bounded ?? [:]
  }
}

/// What the callbacks of a step are answered with besides what a person says.
struct JourneyContext: Sendable {
  /// What is told of this machine where a journey asks for that.
  var device = DeviceProfile()
  /// Whether a browser may be sent to this machine over plain HTTP.
  var allowsLoopbackHTTP = false
  /// What to call the server that is signed on to.
  var server = ""
  /// The keys of this machine that were bound there, the newest first.
  var keys: [BoundKey] = []
  /// Whether this machine can make sure that its owner is there.
  var verifiesPresence = false
  /// What hidden values are answered with, by their ids, where other callbacks of the step have their outcome there.
  var outcomes: [String: String] = [:]
}
