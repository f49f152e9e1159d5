#!/usr/bin/env bash
# page_test.sh NEGZERO MEASURE.html: makes a page of findings and opens it in a browser, in the light and in the dark,
# 1400 and 400 pixels wide. Exit code 77 where no browser is installed.
set -u

negzero=$1
measure=$2
browser=
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
if [ -z "$browser" ]; then
  echo "skipped: neither chromium, chromium-browser nor google-chrome is installed"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}
# Prints the document as the browser has it after all that it does with the file.
open_page() {
  local file=$1
  shift
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" \
    --allow-file-access-from-files --virtual-time-budget=10000 "$@" "file://$file" 2>"$folder/browser.log"
}
expect_line() {
  grep -qx -- "$2" <<<"$1" || fail "no line '$2' in $3"
}

# A folder whose name would be markup, and a program in it: it stands in the page as the path of each case file.
hostile="$folder/<img src=x onerror=document.title='taken'>"
page="$folder/page.html"
CUDA_VISIBLE_DEVICES='' "$negzero" check 'faulty.A1.*' 'faulty.G1.*' --cases 100 --save "$hostile" --report "$page" \
  >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] || fail "check is to have findings: $(cat "$folder/err")"
cp "$measure" "$folder/measure.html"
findings=$(grep -c '^FAIL ' "$folder/out")
[ "$findings" -ge 2 ] || fail "there are to be findings in the page: $findings"

dom=$(open_page "$page" --dump-dom)
[[ $dom == *"<title>negzero check: $findings findings</title>"* ]] || fail "another title: $(grep -o '<title>.*</title>' <<<"$dom")"
[[ $dom == *"&lt;img src=x onerror=document.title='taken'&gt;"* ]] || fail "the path of a case is not there as text"
[[ $dom == *"faulty.A1.max_by_value_sign: wrong_value"* ]] || fail "the finding is not there"

for scheme in dark light; do
  # WebKit's number of the scheme that a user prefers.
  number=$([ "$scheme" = dark ] && echo 0 || echo 1)
  prefers=--blink-settings=preferredColorScheme=$number
  measured=$(open_page "$folder/measure.html" "$prefers" --dump-dom)
  expect_line "$measured" "measured all" "$scheme"
  for width in wide narrow; do
    expect_line "$measured" "\(<pre id=\"measured\">\)\?$width.overflow 0" "$scheme: it scrolls sideways"
    expect_line "$measured" "$width.articles $findings" "$scheme"
    expect_line "$measured" "$width.strangers 0" "$scheme: markup of a stranger"
    expect_line "$measured" "$width.requests 0" "$scheme: it asks for something"
    expect_line "$measured" "$width.mode CSS1Compat" "$scheme: quirks mode"
    expect_line "$measured" "$width.cells [1-9][0-9]*" "$scheme"
    expect_line "$measured" "$width.uncoloured 0" "$scheme: cells without a colour"
  done
  backgrounds="${backgrounds:-} $(grep '^wide.background' <<<"$measured")"
  open_page "$page" "$prefers" --window-size=1400,2000 --hide-scrollbars --screenshot="$folder/$scheme.png" >/dev/null
  [ "$(stat -c %s "$folder/$scheme.png" 2>/dev/null || echo 0)" -gt 20000 ] || fail "$scheme: nothing was drawn"
done
[ "$backgrounds" = " wide.background rgb(20, 23, 27) wide.background rgb(255, 255, 255)" ] ||
  fail "backgrounds are$backgrounds"
cmp -s "$folder/dark.png" "$folder/light.png" && fail "dark and light look the same"

# The page of a campaign has parts of its own: a chart over time, and tables.
CUDA_VISIBLE_DEVICES='' "$negzero" fuzz 'faulty.A1.*' --folder "$folder/campaign" --cases 300 >/dev/null 2>"$folder/err"
CUDA_VISIBLE_DEVICES='' "$negzero" report "$folder/campaign" -o "$page" >"$folder/out" 2>"$folder/err"
[ $? -eq 1 ] || fail "the campaign is to have findings: $(cat "$folder/err")"
[[ $(open_page "$page" --dump-dom) == *"<h2>Ways of making cases</h2>"* ]] || fail "the table of ways is not there"
measured=$(open_page "$folder/measure.html" --dump-dom)
expect_line "$measured" "measured all" campaign
for width in wide narrow; do
  expect_line "$measured" "\(<pre id=\"measured\">\)\?$width.overflow 0" "campaign: it scrolls sideways"
  expect_line "$measured" "$width.articles [1-9][0-9]*" campaign
  expect_line "$measured" "$width.requests 0" "campaign: it asks for something"
  expect_line "$measured" "$width.uncoloured 0" "campaign: cells without a colour"
done

[ "$failed" -eq 0 ] && echo "$findings findings, looked at by $browser"
exit "$failed"
