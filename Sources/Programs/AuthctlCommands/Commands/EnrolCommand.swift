internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let enrol = Command(
    "enrol",
    "[URI|-|--image FILE]",
    words: 0...1,
    options: [Option("--image", takes: "FILE", "a picture of the QR code, - for standard input")],
    summary: "make an account of what an enrolment's QR code holds",
    details: """
      URI is an otpauth, pushauth or mfauth address. Without it or with - it is asked for on the terminal, or is one
      line of standard input, so that its secret is in no list of processes and no history of a shell.

      The picture is PNG, JPEG, GIF or WebP, at most 16 MiB, with one QR code in it. zbarimg of the package zbar-tools
      reads it. Erase the picture afterwards: whoever has it has the account.
      """,
    examples: [
      "authctl enrol --image code.png",
      "authctl enrol - < address.txt",
    ]
  ) { (session) throws(Failure) in
    let address = try session.enrolmentAddress()
    try session.print(AccountEnrol(uri: address)) { AccountText.lines([$0]) }
  }
}
