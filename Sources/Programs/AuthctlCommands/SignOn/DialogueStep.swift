internal import ControlAPI
internal import ControlClient
internal import JSON
internal import WebAddress

struct DialogueStep {
  let reply: Reply<Node>
  let node: Node
  let fields: [FormField]
  let actions: [Action]

  init(_ result: JSON) throws(Failure) {
    reply = Reply(json: result)
    node = try reply.value
    fields = node.page.collectors.map(FormField.init)
    actions = node.page.actions.map(Action.init)
  }

  /// The host of the sign-on, with its port and scheme unless they are the defaults.
  var host: SafeText? {
    node.issuer.map { issuer in
      let origin = WebURL(issuer)?.origin.text ?? issuer
      return "\(origin.hasPrefix("https://") ? String(origin.dropFirst(8)) : origin)"
    }
  }

  var message: String? { node.page.message }

  var browserURL: String? { node.page.browserURL }

  var questions: [FormField] { fields.filter { $0.prompt.ask != nil && !$0.key.isEmpty } }

  /// True if the step waits for another device or page; the daemon then polls the step.
  var waits: Bool { fields.contains { $0.prompt.waits } }

  /// True if the step requires the address at which a browser ended, or an address from an e-mail.
  var wantsAddress: Bool {
    !waits && questions.isEmpty && (browserURL != nil || fields.contains { $0.prompt.wantsAddress })
  }

  /// True if the browser is redirected to this machine at the end; false if it may be on any device.
  var endsAtAddress: Bool { node.method != .device }
  /// True if the step accepts the address at which the browser ends.
  var takesAddress: Bool { browserURL != nil && endsAtAddress }

  /// True if an answer was wrong: an error, or the same page again with errors at its fields.
  var isRepeated: Bool { node.outcome == .error || questions.contains { $0.problem != nil } }

  /// True if the answer may omit the action.
  var hasDefaultAction: Bool { actions.isEmpty || actions.contains(where: \.isSubmit) }

  /// The action that pairs this machine, if the server offers it.
  var pairingAction: String? {
    let keys = fields.filter { $0.type == "MobilePairingCollector" }.map(\.key)
    return actions.map(\.key).first { keys.contains($0) }
  }

  /// True if this machine can approve the step, or is being asked to approve it.
  var offersOwnPush: Bool { actions.contains { ["push.own", "push.approve"].contains($0.key) } }

  var heading: [SafeText] {
    [node.page.title, node.page.description].compactMap { $0 }.flatMap { Markup.lines($0) }
  }

  /// True if both steps have the same heading, fields and actions; the message may differ.
  func asksTheSame(as other: DialogueStep) -> Bool {
    heading == other.heading && fields.map(\.key) == other.fields.map(\.key)
      && actions.map(\.key) == other.actions.map(\.key)
  }

  /// True if both pages are equal, so that the page need not be shown again.
  func looks(like other: DialogueStep) -> Bool { node.page.serialized == other.node.page.serialized }
}

struct Action {
  let key: String
  let label: SafeText
  let isSubmit: Bool

  init(_ action: SignOnPage.Action) {
    (key, isSubmit) = (action.key, action.kind == .submit)
    label = action.label.isEmpty ? RawName.words(action.key) : Markup.line(action.label)
  }
}
