"""Which wrong results would the assertions of a test suite let pass?

Each assertion that passes is repeated with changed copies of the value that it was given, which ought to fail. The
hook (_hook) sees the calls, the recorder keeps what is needed to repeat them (_call) until the test is over, _repeat
makes the changes of negzero._changes, and _rows and _report say by file and line what came of it.
"""
