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

  /// The host that one signs on at; with a port or a protocol that is not the usual one, these too.
  var host: SafeText? {
    node.issuer.map { issuer in
      let origin = WebURL(issuer)?.origin.text ?? issuer
      return "\(origin.hasPrefix("https://") ? String(origin.dropFirst(8)) : origin)"
    }
  }

  var message: String? { node.page.message }

  var browserURL: String? { node.page.browserURL }

  var questions: [FormField] { fields.filter { $0.prompt.ask != nil && !$0.key.isEmpty } }

  /// Whether something outside decides how it goes on, which the daemon looks at.
  var waits: Bool { fields.contains { $0.prompt.waits } }

  /// Whether it goes on only with the address at which a browser ended, or which came by e-mail.
  var wantsAddress: Bool {
    !waits && questions.isEmpty && (browserURL != nil || fields.contains { $0.prompt.wantsAddress })
  }

  /// Whether a browser is sent back with an address, and not only signed on elsewhere.
  var endsAtAddress: Bool { node.method != .device }
  /// Whether the address is wanted that the browser ends at.
  var takesAddress: Bool { browserURL != nil && endsAtAddress }

  /// Whether an answer was wrong: an error, or a page that came again with what is wrong in its fields.
  var isRepeated: Bool { node.outcome == .error || questions.contains { $0.problem != nil } }

  /// Whether it goes on without naming an action.
  var hasDefaultAction: Bool { actions.isEmpty || actions.contains(where: \.isSubmit) }

  /// The action that pairs this machine, where the server asks for that.
  var pairingAction: String? {
    let keys = fields.filter { $0.type == "MobilePairingCollector" }.map(\.key)
    return actions.map(\.key).first { keys.contains($0) }
  }

  /// Whether it can be approved with this machine, or that is just being asked.
  var offersOwnPush: Bool { actions.contains { ["push.own", "push.approve"].contains($0.key) } }

  var heading: [SafeText] {
    [node.page.title, node.page.description].compactMap { $0 }.flatMap { Markup.lines($0) }
  }

  /// Whether it asks what another did, whatever the server says beside that.
  func asksTheSame(as other: DialogueStep) -> Bool {
    heading == other.heading && fields.map(\.key) == other.fields.map(\.key)
      && actions.map(\.key) == other.actions.map(\.key)
  }

  /// Whether another step looks the same, so that it need not be shown again.
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
