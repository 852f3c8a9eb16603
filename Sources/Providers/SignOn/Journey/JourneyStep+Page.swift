internal import ControlAPI
internal import JSON

extension JourneyStep {
  /// The step as a person sees it, in a language as far as the server left the choice.
  func page(_ language: String?) -> SignOnPage {
    var page = SignOnPage()
    page.title = object["header"]?.string.map { Callback.line($0, maximum: 200) }
    page.description = object["description"]?.string.map { Callback.line($0) }
    let stage = object["stage"]?.string
    page.stage = stage.map { Callback.line($0, maximum: 2000) }
    page.collectors = forms.flatMap(\.fields).map(\.collector)
    switch wait {
    case .address(let browser): page.browserURL = browser
    case .time: break
    case nil where keyRequest != nil: break
    case nil:
      let label = stage.flatMap { Self.buttonText(stage: $0, language: language) } ?? "Next"
      page.actions = [SignOnPage.Action(key: Self.submit, label: label, kind: .submit)]
    }
    if enrolment != nil {
      page.actions.append(SignOnPage.Action(key: Self.enrol, label: "Enrol this machine", kind: .flow))
    }
    page.actions += keyRequest?.decisions.map(\.action) ?? []
    return page
  }

  /// The page with what is wrong beside the fields.
  func page(_ language: String?, missing: [String: String]) -> SignOnPage {
    var page = page(language)
    for index in page.collectors.indices {
      guard let message = missing[page.collectors[index].key] else { continue }
      page.collectors[index].message = message
    }
    return page
  }

  /// The action that hands in the input.
  static let submit = "submit"

  /// The action that enrols this machine, after which the journey goes on.
  static let enrol = "enrol"

  /// A stage can be JSON, with the text of the button in several languages.
  private static func buttonText(stage: String, language: String?) -> String? {
    guard let text = (try? JSON(parsing: stage))?["submitButtonText"] else { return nil }
    let languages = [language, language.map { String($0.prefix { $0 != "-" && $0 != "_" }) }, "en"]
    let choice =
      text.string ?? languages.lazy.compactMap { $0.flatMap { text[$0]?.string } }.first
      ?? text.object?.members.first?.value.string
    return choice.flatMap { $0.isEmpty ? nil : Callback.line($0, maximum: 100) }
  }
}
