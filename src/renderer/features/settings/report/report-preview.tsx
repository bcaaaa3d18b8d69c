import type { ReactElement } from 'react';
import { reportPage } from '../../../../strings/report-page.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';

/** The report as the mail would have it now. */
export function ReportPreview({ onClose }: { readonly onClose: () => void }): ReactElement {
  const language = useLanguage();
  const words = language.strings.report.panel;
  const answer = useCall('report.preview', {});
  return (
    <ModalDialog title={words.previewTitle} isWide onClose={onClose}>
      <Loaded resource={answer}>
        {({ report }) => {
          const page = reportPage(report, language);
          return (
            <div className="ui-stack settings-report">
              <p className="settings-text">
                <strong>{words.subject(page.title)}</strong>
              </p>
              <p>{page.lead}</p>
              {page.sections.map(({ title, rows }) => (
                <section key={title} className="ui-stack-tight">
                  <h3>{title}</h3>
                  <table>
                    <tbody>
                      {rows.map(([label, value]) => (
                        <tr key={`${label} ${value}`}>
                          <th scope="row" className="ui-soft">
                            {label}
                          </th>
                          <td>{value}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </section>
              ))}
              <p className="ui-hint">{page.footer}</p>
            </div>
          );
        }}
      </Loaded>
      <div className="ui-actions">
        <Button kind="primary" onPress={onClose}>
          {language.strings.common.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
