import { kindFunctions, quoted, type CompletionTable } from './completion-table.ts';

/** The completion for bash 4 and newer, which does not need the package bash-completion. */
export function bashCompletion(table: CompletionTable): string {
  const below = table.commands.filter(({ below: names }) => names.length > 0);
  return `# Completion of holdfast for bash, written by scripts/package-cli from the definition of the command line.

# Prints the commands below a command.
_holdfast_commands() {
  case $1 in
${below.map(({ path, below: names }) => `    ${quoted(path)}) echo ${quoted(names.map(({ name }) => name).join(' '))} ;;`).join('\n')}
  esac
}

# Prints the options of a command.
_holdfast_options() {
  case $1 in
${table.commands.map(({ path, options }) => `    ${quoted(path)}) echo ${quoted(options.flatMap(({ flags }) => flags).join(' '))} ;;`).join('\n')}
  esac
}

${kindFunctions(table)}

# Offers lines of text that begin with the current word.
_holdfast_lines() {
  local line
  while IFS= read -r line; do
    if [[ $line == "$current"* ]]; then COMPREPLY+=("$(printf %q "$line")"); fi
  done
}

_holdfast_offer() {
  local program=\${COMP_WORDS[0]/#\\~/$HOME}
  case $kind in
    words:*) mapfile -t COMPREPLY < <(compgen -W "\${kind#words:}" -- "$current") ;;
    files) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    sets) _holdfast_lines < <("$program" "\${home[@]}" set list --names 2>/dev/null) ;;
    destinations) _holdfast_lines < <("$program" "\${home[@]}" destination list --names 2>/dev/null) ;;
  esac
}

_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=holdfast position=0 kind= index word
  local -a home=()
  COMPREPLY=()
  if [[ $current == = ]]; then current=; fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if _holdfast_value "$at" "$word"; then
      index=$((index + 1))
      if [[ \${COMP_WORDS[index]} == = ]] && ((index < COMP_CWORD)); then index=$((index + 1)); fi
      if ((index >= COMP_CWORD)); then
        _holdfast_offer
        return
      fi
      if [[ $word == --home ]]; then home=(--home "\${COMP_WORDS[index]/#\\~/$HOME}"); fi
      kind=
    elif [[ $word == -* ]]; then
      continue
    elif ((position == 0)) && [[ " $(_holdfast_commands "$at") " == *" $word "* ]]; then
      at+=" $word"
    else
      position=$((position + 1))
    fi
  done
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_holdfast_options "$at")" -- "$current")
    return
  fi
  _holdfast_argument "$at" "$position"
  _holdfast_offer
  if ((position == 0)); then
    mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_holdfast_commands "$at")" -- "$current")
  fi
}

complete -F _holdfast holdfast
`;
}
