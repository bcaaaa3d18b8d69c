import { kindFunctions, quoted, type CompletionTable } from './completion-table.ts';

/** The completion for zsh; the file is called `_holdfast` and lies in a folder of `fpath`. */
export function zshCompletion(table: CompletionTable): string {
  const below = table.commands.filter(({ below: names }) => names.length > 0);
  return `#compdef holdfast
# Completion of holdfast for zsh, written by scripts/package-cli from the definition of the command line.

# Sets found to the commands below a command.
_holdfast_commands() {
  found=()
  case $1 in
${below
  .map(({ path, below: names }) =>
    branch(
      path,
      names.map(({ name, description }) => described(name, description)),
    ),
  )
  .join('\n')}
  esac
}

# Sets found to the options of a command.
_holdfast_options() {
  found=()
  case $1 in
${table.commands
  .map(({ path, options }) =>
    branch(
      path,
      options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))),
    ),
  )
  .join('\n')}
  esac
}

${kindFunctions(table)}

_holdfast_offer() {
  local program=\${words[1]/#\\~/$HOME}
  case $kind in
    words:*) found=(\${=kind#words:}) && compadd -a found ;;
    files) _files ;;
    folders) _files -/ ;;
    sets) found=("\${(@f)$("$program" $home set list --names 2>/dev/null)}") && compadd -a found ;;
    destinations) found=("\${(@f)$("$program" $home destination list --names 2>/dev/null)}") && compadd -a found ;;
  esac
}

_holdfast() {
  local at=holdfast kind= word
  local -i position=0 index
  local -a found home
  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if _holdfast_value "$at" "$word"; then
      index=$((index + 1))
      if ((index >= CURRENT)); then
        _holdfast_offer
        return
      fi
      if [[ $word == --home ]]; then home=(--home "\${\${(Q)words[index]}/#\\~/$HOME}"); fi
      kind=
    elif [[ $word == -* ]]; then
      continue
    else
      _holdfast_commands "$at"
      if ((position == 0)) && ((\${found[(I)\${word}:*]} > 0)); then
        at+=" $word"
      else
        position=$((position + 1))
      fi
    fi
  done
  if [[ $PREFIX == -*=* ]] && _holdfast_value "$at" "\${PREFIX%%=*}"; then
    compset -P '*='
    _holdfast_offer
    return
  fi
  if [[ $PREFIX == -* ]]; then
    _holdfast_options "$at"
    _describe -o option found
    return
  fi
  _holdfast_argument "$at" "$position"
  _holdfast_offer
  if ((position == 0)); then
    _holdfast_commands "$at"
    if ((\${#found} > 0)); then _describe command found; fi
  fi
}

if [[ $funcstack[1] == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
`;
}

function branch(path: string, words: readonly string[]): string {
  return `    ${quoted(path)})\n${words.map((word) => `      found+=(${quoted(word)})`).join('\n')}\n      ;;`;
}

/** `name:description`, where a colon of the name is escaped. */
function described(name: string, description: string): string {
  return `${name.replaceAll(':', String.raw`\:`)}:${description}`;
}
