internal import JSON

/// One step of a sign-on as the daemon gives it.
struct Node {
  let json: JSON

  var kind: String { json["node"]?.string ?? "" }
  var message: String? { json["message"]?.string }
  var collectors: [Collector] { (json["collectors"]?.array ?? []).map(Collector.init) }

  /// The page that the sign-on goes on at, if there is nothing to fill in here.
  var browserURL: String? { collectors.contains(where: \.asks) ? nil : json["browserUrl"]?.string }

  /// What introduces the step.
  var heading: [SafeText] {
    [json["title"], json["description"]].compactMap { $0?.string }.map { "\($0)" }
  }
}

/// One thing that a step asks for.
struct Collector {
  let json: JSON

  var key: String { json["key"]?.string ?? "" }
  var isSecret: Bool { json["secret"] == true || type.contains("Password") }
  var isRequired: Bool { json["required"] == true }

  private var type: String { json["type"]?.string ?? "" }

  /// Whether there is something to answer; the others only say something.
  var asks: Bool { !key.isEmpty && !type.hasSuffix("OutputCallback") && type != "LabelCollector" }

  var label: SafeText { json["label"]?.string.map { "\($0)" } ?? "\(key.isEmpty ? type : key)" }

  /// The value that an empty answer stands for.
  var preset: String? { isSecret ? nil : json["value"]?.string }

  /// The choices, if only these are allowed.
  var options: [(label: SafeText, value: String)] {
    (json["options"]?.array ?? []).compactMap { option in
      option["value"]?.string.map { (Describe.value(option["label"] ?? option["value"]), $0) }
    }
  }

  /// What a person has to see before the answer: choices, and all of a field that is not known here.
  var notes: [SafeText] {
    let choices = options.enumerated().map { index, option in "  \(index + 1)  \(option.label)" as SafeText }
    return (json["raw"].map { ["\(label): \(Describe.value($0))"] } ?? []) + choices
  }

  /// The value that an answer means: of choices the value, the number in the list or the label.
  func value(for answer: String) -> String? {
    guard !options.isEmpty else { return answer }
    if options.contains(where: { $0.value == answer }) { return answer }
    if let number = Int(answer), options.indices.contains(number - 1) { return options[number - 1].value }
    return options.first { $0.label.text == answer }?.value
  }
}
