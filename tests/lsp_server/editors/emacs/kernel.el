;;; A kernel is opened, its finding fixed; a rule file is broken.  -*- lexical-binding: t -*-
(defun try-wait (what seen)
  (let ((end (+ (float-time) 60)) found)
    (while (and (not (setq found (funcall seen))) (< (float-time) end))
      (accept-process-output nil 0.1)
      (flymake-start))
    (or found (error "waited in vain for %s: %S" what (flymake-diagnostics)))))

(defun try-messages ()
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun try-matching (pattern)
  (seq-filter (lambda (text) (string-match-p pattern text)) (try-messages)))

(defun try-changed ()
  ;; In batch the idle timer that sends changes never runs.
  (eglot--signal-textDocument/didChange))

(defun try-open (file)
  (find-file file)
  ;; Eglot connects after the command, which in batch has to be told.
  (run-hooks 'post-command-hook)
  (try-wait "the server" #'eglot-current-server))

(let ((root (getenv "ADVISOR_ROOT")) seen)
  (try-open (expand-file-name "kernels/dot_product.py" root))
  (try-wait "the finding" (lambda () (try-matching "right only while the grid fits")))
  (push (cons 'found (vconcat (try-messages))) seen)
  (goto-char (point-min))
  (search-forward "a[i]")
  (backward-char 2)
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt table &rest _)
               (push (cons 'titles (vconcat (all-completions "" table))) seen)
               (seq-find (lambda (title) (string-match-p "Check that the thread" title))
                         (all-completions "" table)))))
    (let ((last-nonmenu-event ?x)) ; called by a key, not by the mouse
      (call-interactively #'eglot-code-actions)))
  (try-wait "the edit" (lambda () (save-excursion (goto-char (point-min)) (search-forward "if i < a.shape[0]:\n        cuda.atomic" nil t))))
  (try-changed)
  (try-wait "the finding to go" (lambda () (not (try-matching "right only while the grid fits"))))
  (set-buffer-modified-p nil)
  (try-open (expand-file-name "house/crowded-kernel.rules" root))
  (search-forward "when k.register")
  (insert "z")
  (try-changed)
  (push (cons 'broken (vconcat (try-wait "the error" (lambda () (try-matching "is not a metric"))))) seen)
  (set-buffer-modified-p nil)
  (with-temp-file (getenv "ADVISOR_RESULT") (insert (json-encode seen))))
