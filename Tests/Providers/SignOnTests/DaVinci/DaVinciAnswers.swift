/// The expected meaning of recorded responses: their kind and the page shown to the user.
enum DaVinciAnswers {
  struct Answer: Sendable {
    let name: String
    let status: Int
    let lines: [String]

    init(_ name: String, _ status: Int, _ lines: String...) {
      (self.name, self.status, self.lines) = (name, status, lines)
    }
  }

  static let all: [Answer] = [
    Answer(
      "android-PasswordValidationError",
      400,
      "error",
      "! password: User password did not satisfy password policy requirements",
      "password ! The provided password did not contain enough characters from the character set "
        + "'ZYXWVUTSRQPONMLKJIHGFEDCBA'.  The minimum number of characters from that set that must "
        + "be present in user passwords is 1; The provided password (or a variant of that password) "
        + "was found in a list of prohibited passwords; length; maxRepeatedCharacters; "
        + "minUniqueCharacters"
    ),
    Answer(
      "android-ResponseWithBasicType",
      200,
      "continue",
      "# session main - signon1",
      "## session main flow - sign on form",
      #"LABEL-0: LabelCollector = "Sign On""#,
      #"LABEL-1: LabelCollector = "Welcome to Ping Identity""#,
      #"user.username: TextCollector 'Username' required = "default-username" ~ "#
        + #"^[^@]+@[^@]+\.[^@]+$ ~! Must be valid email address"#,
      "password: PasswordCollector 'Password' required secret",
      "dropdown-field: SingleSelectCollector 'Dropdown' required of "
        + "dropdown1=dropdown1|dropdown2=dropdown2|dropdown3=dropdown3",
      "combobox-field: MultiSelectCollector 'Combobox' required of "
        + #"combobox1=combobox1|combobox2=combobox2 = ["default-combobox"]"#,
      "radio-field: SingleSelectCollector 'Radio' required of radio1=radio1|radio2=radio2",
      "checkbox-field: MultiSelectCollector 'Checkbox' required of "
        + "checkbox1=checkbox1|checkbox2=checkbox2",
      "[Sign On] submit submit",
      "[No account? Register now!] register link",
      "[Having trouble signing on?] trouble link"
    ),
    Answer(
      "ios-davinci-authorizeResponse",
      200,
      "continue",
      "# Username/Password Form",
      "## Test Description",
      "username: TextCollector 'Username'",
      "password: PasswordCollector 'Password' secret",
      "[Sign On] SIGNON submit",
      "[Having trouble signing on?] TROUBLE flow",
      "[No account? Register now!] REGISTER flow"
    ),
    Answer(
      "ios-davinci-customHTMLTemplate",
      200,
      "success",
      "03dbd5a2-db72-437c-8728-fc33b860083c"
    ),
    Answer(
      "ios-davinci-error-4xx-code-1999",
      400,
      "failure",
      "SESSION_EXPIRED",
      "the sign-on took too long"
    ),
    Answer(
      "ios-davinci-error-4xx-requestTimedOut",
      400,
      "failure",
      "SESSION_EXPIRED",
      "the sign-on took too long"
    ),
    Answer(
      "ios-davinci-error-4xx-returnSuccessResponseRedirect",
      400,
      "failure",
      "REFUSED",
      "Invalid Connector."
    ),
    Answer(
      "ios-davinci-error-testDaVinciAuthorizeEndpointFailedBetween400To499",
      400,
      "error",
      "! Invalid DV Flow Policy ID: Single_Factor"
    ),
    Answer(
      "ios-davinci-error-testDaVinciAuthorizeEndpointFailedWith500",
      400,
      "error",
      "! Invalid DV Flow Policy ID: Single_Factor"
    ),
    Answer(
      "ios-davinci-error-testDaVinciAuthorizeEndpointFailedWithOKResponseButErrorDuringTransform",
      200,
      "failure",
      "REFUSED",
      "The request could not be completed. There was an issue processing the request"
    ),
    Answer(
      "ios-davinci-passwordValidationError",
      400,
      "error",
      "! password: User password did not satisfy password policy requirements",
      "password ! The provided password did not contain enough characters from the character set "
        + "'ZYXWVUTSRQPONMLKJIHGFEDCBA'.  The minimum number of characters from that set that must "
        + "be present in user passwords is 1; The provided password (or a variant of that password) "
        + "was found in a list of prohibited passwords; length; maxRepeatedCharacters; "
        + "minUniqueCharacters"
    ),
    Answer(
      "ios-davinci-responseWithBasicTypes",
      200,
      "continue",
      "# session main - signon1",
      "## session main flow - sign on form",
      #"LABEL-0: LabelCollector = "Sign On""#,
      #"LABEL-1: LabelCollector = "Welcome to Ping Identity""#,
      #"user.username: TextCollector 'Username' required = "default-username" ~ . ~! Must be "#
        + "valid email address",
      "password: PasswordCollector 'Password' required secret",
      "dropdown-field: SingleSelectCollector 'Dropdown' required of "
        + "dropdown1=dropdown1|dropdown2=dropdown2|dropdown3=dropdown3",
      "combobox-field: MultiSelectCollector 'Combobox' required of "
        + #"combobox1=combobox1|combobox2=combobox2 = ["default-combobox"]"#,
      "radio-field: SingleSelectCollector 'Radio' required of radio1=radio1|radio2=radio2",
      "checkbox-field: MultiSelectCollector 'Checkbox' required of "
        + "checkbox1=checkbox1|checkbox2=checkbox2",
      "[Sign On] submit submit",
      "[No account? Register now!] register link",
      "[Having trouble signing on?] trouble link"
    ),
    Answer(
      "js-davinci-challengePolling",
      200,
      "continue",
      "# Polling Form",
      "polling: PollingCollector 'Waiting for the answer'"
    ),
    Answer(
      "js-davinci-error0a",
      400,
      "error",
      "! Invalid username and/or password"
    ),
    Answer(
      "js-davinci-error0b",
      400,
      "error",
      #"! invalidInput "username" - must not be blank"#
    ),
    Answer(
      "js-davinci-error0c",
      400,
      "error",
      "! An unexpected error has occurred"
    ),
    Answer(
      "js-davinci-error1b",
      400,
      "error",
      "! newPasswordNotValid newPassword: New password did not satisfy password policy "
        + "requirements",
      "newPassword ! The provided new password cannot be the same as the current password or any "
        + "password in the password history."
    ),
    Answer(
      "js-davinci-error1c",
      400,
      "error",
      "! Invalid username and/or password"
    ),
    Answer(
      "js-davinci-error1d",
      400,
      "error",
      "! invalidValue email: must be a well-formed email address",
      "email ! must be a well-formed email address"
    ),
    Answer(
      "js-davinci-error1f",
      400,
      "error",
      "! uniquenessViolation username: is unique but a non-unique value is provided",
      "password ! The provided password did not match provisioned password (tries left: 3)",
      "email ! must be a well-formed email address",
      "username ! is unique but a non-unique value is provided"
    ),
    Answer(
      "js-davinci-error2a",
      400,
      "failure",
      "SESSION_EXPIRED",
      "the sign-on took too long"
    ),
    Answer(
      "js-davinci-error2b",
      200,
      "failure",
      "REFUSED",
      "Request timed out. Please try again."
    ),
    Answer(
      "js-davinci-error4",
      400,
      "error",
      "! Validation Error: identifer must be a uuid"
    ),
    Answer(
      "js-davinci-formfields-obj",
      200,
      "continue",
      "# session main - signon1",
      "## session main flow - sign on form",
      #"LABEL-0: LabelCollector = "Sign On""#,
      #"LABEL-1: LabelCollector = "Welcome to Ping Identity""#,
      #"terms-label: LabelCollector = "I agree to the terms and conditions "#
        + #"(https://example.com/terms)" raw"#,
      #"user.username: TextCollector 'Username' required ~ ^[^@]+@[^@]+\.[^@]+$ ~! Must be valid "#
        + "email address",
      "password: PasswordCollector 'Password' required secret",
      "user.password: PasswordCollector 'Password' required secret raw",
      "dropdown-field: SingleSelectCollector 'Dropdown' required of "
        + "dropdown1=dropdown1|dropdown2=dropdown2|dropdown3=dropdown3",
      "combobox-field: MultiSelectCollector 'Combobox' required of "
        + "combobox1=combobox1|combobox2=combobox2",
      "radio-field: SingleSelectCollector 'Radio' required of radio1=radio1|radio2=radio2",
      "checkbox-field: MultiSelectCollector 'Checkbox' required of "
        + "checkbox1=checkbox1|checkbox2=checkbox2",
      "[Sign On] submit submit",
      "[No account? Register now!] register link",
      "[Having trouble signing on?] trouble link"
    ),
    Answer(
      "js-davinci-next1",
      200,
      "continue",
      "# Display password reset form",
      "## User can enter a new password to use",
      "currentPassword: PasswordCollector 'Current Password' secret",
      "newPassword: PasswordCollector 'New Password' secret",
      "[Submit] SUBMIT submit"
    ),
    Answer(
      "js-davinci-next2",
      200,
      "continue",
      "# Reset password success",
      "## Displays a success page for update password",
      "[Continue] CONTINUE submit"
    ),
    Answer(
      "js-davinci-next3",
      200,
      "continue",
      "# Reset password success",
      "## Displays a success page for update password",
      "[Continue] CONTINUE submit"
    ),
    Answer(
      "js-davinci-success1",
      200,
      "success",
      "179d28b8-bff1-45a2-a165-deb5d3584d13"
    ),
    Answer(
      "js-mockv2-InvalidUsernamePassword",
      400,
      "error",
      "! Invalid username and/or password",
      "password ! The provided password did not match provisioned password (tries left: 4)"
    ),
    Answer(
      "js-mockv2-UsernamePassword",
      200,
      "continue",
      "# Username/Password Form",
      "username: TextCollector 'Username'",
      "password: PasswordCollector 'Password' secret",
      "[Sign On] SIGNON submit",
      "[Having trouble signing on?] TROUBLE flow",
      "[No account? Register now!] REGISTER flow"
    ),
    Answer(
      "js-mockv2-returnSuccessResponseRedirect",
      200,
      "success",
      "1748be69-f940-4a22-9a6e-0459ac730079"
    ),
  ]
}
